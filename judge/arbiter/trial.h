/* One call of the submission's solve(), from the inputs to the comparison. */
#ifndef ARBITER_TRIAL_H
#define ARBITER_TRIAL_H

#include "arbiter/fill_watch.h"
#include "arbiter/judgement.h"

struct trial {
    struct call_set *set; /* with copies */
    const struct answer *answer;
    const char *where;              /* "test 3 (N=31)", for messages */
    bool benchmark;                 /* which tolerances hold */
    bool attach;                    /* the runner does not have set's buffers mapped */
    bool timed;                     /* make caches cold, measure ns */
    bool watched;                   /* its memory is, while it runs; else at its end */
    bool behind;                    /* timed: the copy may be queued (release.h) */
    bool metered;                   /* timed: measure bus_bytes */
    int cpu;                        /* timed: where its process waits; -1: anywhere */
    const struct fill_watch *watch; /* NULL: the fill is not watched */
    bool released;                  /* result: solve() was let go */
    int slow_fills;                 /* result: how often our own work was slow */
    int busy_fills;                 /* result: the same, but the host had other work */
    bool copied_behind;             /* result: of which kind the interval is */
    double ns;                      /* result: the interval */
    double copy_ns;                 /* result: of it, where copied_behind, the copy */
    double fill_ns;                 /* result: of our own work before the clock */
    double bus_before;              /* trial.c's own: what the bus had carried */
    double bus_bytes;               /* result: over the card's bus; < 0: not known */
};

/* Fills the buffers, lets the submission run, takes the outputs, judges. What the
 * submission did wrong is in j->outcome afterwards (accepted: nothing); -1 is our
 * failure. */
int trial_run(struct judgement *j, struct trial *t, struct report *r);

/* The interval of an empty solve() on the same buffers, after the same preparations. */
struct null_trial {
    struct call_set *set;
    const struct answer *answer; /* what is filled in; NULL: nothing is */
    bool attach;
    bool behind, metered;
    int cpu;            /* where its process waits, then where it ran; -1: any */
    bool copied_behind; /* result, as above */
    bool late;          /* result: the host was so slow that the card waited for it */
    bool preempted;     /* result: the host had other work */
    double ns, copy_ns, bus_bytes; /* the same */
    double fill_ns;                /* result: our own work before the call */
};

int trial_run_null(struct judgement *j, struct null_trial *t, struct report *r);

#endif
