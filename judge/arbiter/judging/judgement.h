/* One judgement: the state that its phases share (arbiter/phases.h). */
#ifndef ARBITER_JUDGING_JUDGEMENT_H
#define ARBITER_JUDGING_JUDGEMENT_H

#include "arbiter/calling/host.h"
#include "arbiter/calling/memory_watch.h"
#include "arbiter/calling/runner_link.h"
#include "arbiter/judging/budget.h"
#include "arbiter/judging/leftovers.h"
#include "arbiter/judging/outcome.h"
#include "arbiter/judging/reference.h"
#include "arbiter/judging/seeds.h"
#include "base/config.h"
#include "device/device.h"
#include "problem/problem.h"
#include "record/job.h"

/* The GPU owes us next to nothing while the submission's process waits for its call. */
#define JUDGEMENT_KEPT_MS 10000

struct judgement {
    const char *folder;
    struct config config;
    struct job job;
    struct problem *problem;
    char *hidden, *empty; /* struct runner_options: the toolkit's libraries, where the
                             problem allows none that is linked; else NULL */
    char *gpu_program, *runner_program; /* paths of warpjudge-gpu and -runner */
    char *null_object;                  /* path of the empty solve() */
    bool ahead;                /* it is prepared while another is judged on this device */
    struct gpu_lock *gpu_lock; /* what keeps the two apart; NULL where they cannot be */
    struct device *device;
    const struct host_ops *host; /* judgement_open: the real one */
    struct reference *reference;
    struct answer *answer; /* one a test of the spec; made before "go" */
    struct answer *timed;  /* of the first timed calls: timing_prepare; NULL: none */
    int timed_count;
    struct runner_link *runner; /* the submission's process to be; where calls will be
                                   timed it has the empty solve() until then */
    bool loaded;                /* the submission is in it */
    bool runner_is_up;          /* the same, and it was ready for a call */
    bool survivors;             /* a process of it could not be ended */
    struct budget budget;       /* of the submission, since it is loaded */
    struct before before;
    struct memory_watch memory;     /* of the runner's, since the submission is there */
    struct timed_benchmark *timing; /* timing_begin; NULL: not yet, or nothing is timed */
    const struct timing_plan *plan; /* of the timed calls; NULL: the device's own */
    bool is_awake;                  /* the empty solve() has been called in the runner */
    uint64_t prepare_ns;            /* what preparing took, without waiting for others */
    struct seeds seeds;             /* of all that is drawn for it */
    int calls;                      /* of solve() so far, empty ones too */
    struct outcome outcome;         /* the submission's fate so far */
    struct result result;
};

/* Is this test of the spec's run? Where only samples are, the others are not. */
bool judgement_runs(const struct judgement *j, int test);

/* The part of it that others would notice: ends every process that was started. */
void judgement_end_processes(struct judgement *j);

/* Will the submission's calls be timed by a clock, and not by a model? */
bool judgement_is_measured(const struct judgement *j);

/* The verdict so far may be somebody else's doing, who used the card or the host: on a
 * GPU the first attempt does not count then. */
void judgement_doubt(struct judgement *j);

/* Ends the runner, if there is one, and all that it started. */
void judgement_stop_runner(struct judgement *j);

#endif
