/* One call of a program's solve(), from the inputs to the comparison: what is asked of it
 * (struct trial) and what came out (struct trial_result). The program is the submission,
 * or ours, whose solve() is empty: that call shows what the protocol itself takes, and
 * goes through the same steps. */
#ifndef ARBITER_JUDGING_TRIAL_H
#define ARBITER_JUDGING_TRIAL_H

#include "arbiter/judging/judgement.h"

struct trial {
    struct call_set *set;        /* with copies, unless nothing is compared */
    const struct answer *answer; /* NULL, of an empty call: nothing is filled in */
    const char *where;           /* "test 3 (N=31)", for messages; not of empty calls */
    bool empty;                  /* solve() is ours: nothing it leaves is compared */
    bool benchmark;              /* which tolerances hold */
    bool attach;                 /* the runner does not have set's buffers mapped */
    bool timed;                  /* make caches cold, measure ns; so is an empty call */
    bool watched;                /* its memory is, while it runs; else at its end */
    bool behind;                 /* timed: the copy may be queued (release.h) */
    bool metered;                /* timed: measure bus_bytes */
    int cpu;                     /* timed: where its process waits; -1: anywhere */
    double usual_fill_ns; /* of our own work before the clock; 0: it is not watched */
};

struct trial_result {
    bool released;      /* solve() was let go */
    int slow_fills;     /* how often our own work was slow */
    int busy_fills;     /* the same, but the host had other work */
    bool copied_behind; /* of which kind the interval is */
    double ns;          /* the interval */
    double copy_ns;     /* of it, where copied_behind, the copy */
    double fill_ns;     /* of our own work before the clock */
    double bus_bytes;   /* over the card's bus; < 0: not known */

    /* Of an empty call only, since part of it is the runner's word. */
    int cpu;        /* where it ran; -1: not known */
    bool late;      /* the host was so slow that the card waited for it */
    bool preempted; /* the host had other work */
};

/* Fills the buffers, lets solve() run, takes the outputs, judges. What the submission did
 * wrong is in j->outcome afterwards (accepted: nothing); -1 is our failure, and so is
 * whatever goes wrong with an empty call. */
int trial_run(struct judgement *j, const struct trial *t, struct trial_result *out,
              struct report *r);

#endif
