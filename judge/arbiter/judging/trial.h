/* One call of a solve(), from the inputs to the comparison: what is asked of it (struct
 * trial) and what came out (struct trial_result). The solve() is the submission's or our
 * own empty one. An empty call shows what the protocol itself takes, and goes through the
 * same steps. */
#ifndef ARBITER_JUDGING_TRIAL_H
#define ARBITER_JUDGING_TRIAL_H

#include "arbiter/calling/bus_meter.h"
#include "arbiter/judging/judgement.h"

/* What of a wrong output is told beside its first wrong element (surroundings.h). */
enum trial_tells {
    TRIAL_TELLS_ELEMENT, /* nothing */
    TRIAL_TELLS_PLACES,  /* where it is wrong */
    TRIAL_TELLS_VALUES,  /* the values around that element as well */
};

struct trial {
    struct call_set *set;        /* has copies, unless nothing is compared */
    const struct answer *answer; /* NULL: nothing is filled in; empty calls only */
    const char *where;           /* "test 3 (N=31)", for messages; not for empty calls */
    bool empty;     /* solve() is our empty one; its outputs are not compared */
    bool benchmark; /* the benchmark's tolerances hold, not the tests' */
    bool attach;    /* the runner must map set's buffers first */
    enum trial_tells tells;
    bool timed;   /* caches are made cold, and ns is measured; so in empty calls */
    bool follows; /* timed, as the trial before, in which the same process was called */
    bool watched; /* the call's memory is looked at while it runs, not only at its end */
    bool behind;  /* timed: the copy may be queued behind the work (release.h) */
    struct bus_meter *meter; /* timed: of bus_bytes; NULL: it is not measured */
    bool silent_bus; /* nothing of ours goes over the bus: not before a call, nor where it
                       is compared */
    int cpu;         /* timed: the runner waits on this CPU; -1: on any */
    double usual_fill_ns; /* of our own work before the clock; 0: it is not watched */
};

/* What the host saw the steps of a call take. They are in no time of a submission, and
 * tell what a judgement's time goes into. */
struct trial_steps {
    uint64_t arm_ns;   /* until the runner is ready to call */
    uint64_t fill_ns;  /* to fill the buffers; of a clock's call also the hold's begin */
    uint64_t run_ns;   /* from the release to the copy of the outputs */
    uint64_t check_ns; /* to compare inputs and outputs, and whatever else there is */
};

struct trial_result {
    bool released;      /* solve() was released */
    int slow_fills;     /* how often our own work was slow */
    int busy_fills;     /* the same, but our thread had lost its CPU */
    bool copied_behind; /* the interval's kind */
    double ns;          /* the interval */
    double copy_ns;     /* the copy's part of it, if copied_behind */
    double fill_ns;     /* our own work before the clock */
    double bus_bytes;   /* that went over the GPU's bus; < 0: not known */
    struct trial_steps steps;

    /* Of an empty call only, since the runner says a part of it. */
    int cpu;        /* the runner's CPU; -1: not known */
    bool late;      /* the host was so slow that the GPU waited for the launch */
    bool preempted; /* the arbiter or the runner had lost its CPU */
};

/* Fills the buffers, lets solve() run, takes the outputs and judges them. Afterwards
 * j->outcome says what the submission did wrong; the verdict "accepted" means nothing. -1
 * is our failure. Whatever goes wrong with an empty call is our failure, too. */
int trial_run(struct judgement *j, const struct trial *t, struct trial_result *out,
              struct report *r);

#endif
