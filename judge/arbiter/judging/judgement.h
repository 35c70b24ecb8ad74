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
#include "arbiter/judging/stock.h"
#include "base/config.h"
#include "device/device.h"
#include "problem/own_case.h"
#include "problem/problem.h"
#include "record/job.h"

/* How long the GPU may keep the arbiter waiting, in ms, before the submission's process
 * is ended. While that process waits for its call, the GPU has next to nothing to do for
 * it. */
#define JUDGEMENT_KEPT_MS 10000

struct judgement {
    const char *folder;
    struct config config;
    struct job job;
    struct problem *problem;
    struct own_case *own; /* the case of a user's own, the problem's only test; or NULL */

    /* As in struct runner_options: hides the toolkit's libraries if the problem allows
     * none; else NULL. */
    char *hidden, *empty;

    char *gpu_program, *runner_program; /* paths of warpjudge-gpu and -runner */
    char *null_object;                  /* path of the empty solve() */
    bool ahead; /* this judgement is prepared while another one runs on this device */
    struct gpu_lock *gpu_lock; /* NULL: this device is not shared with a neighbour */
    struct stock *stock;       /* of an arbiter that stays; NULL: it judges once */
    struct device *device;
    const struct host_ops *host; /* judgement_open sets the real one */
    struct reference *reference;
    struct answer *answer; /* one for each test of the spec; made before "go" */
    struct answer *timed;  /* those of the first timed calls (timing_prepare); or NULL */
    int timed_count;

    /* The process that loads the submission. If calls will be timed, it makes the empty
     * calls before that. */
    struct runner_link *runner;
    bool loaded;          /* the submission is loaded into the runner */
    bool runner_is_up;    /* the same, and it was ready for a call */
    bool assembled;       /* emu: the daemon has said that ptxas accepts the submission */
    bool unwanted;        /* the daemon has said, or shown, that it wants no result */
    bool survivors;       /* a process of the submission could not be ended */
    bool follows;         /* the arbiter before was not gone at the "go" */
    bool lacks_memory;    /* some was not free again when its processes were gone */
    bool ended_well;      /* nothing was odd, so that the device may serve another */
    struct budget budget; /* of the submission, since it was loaded */
    struct before before;
    struct memory_watch memory; /* what the runner has, since the submission is there */
    struct timed_benchmark *timing; /* timing_begin; NULL: not yet, or nothing is timed */
    const struct timing_plan *plan; /* for the timed calls; NULL: the device's own */
    bool is_asked;                  /* the runner, whether it is up (runner_link.h) */
    bool is_awake;                  /* the empty solve() has been called in the runner */
    uint64_t prepare_ns;            /* what preparing took, without waiting for others */
    struct seeds seeds;             /* of all that is drawn for it */
    int calls;                      /* of solve() so far, empty ones too */
    struct outcome outcome;         /* the submission's fate so far */
    struct result result;
};

/* Is this test of the spec run? `warpjudge run` runs sample tests only. */
bool judgement_runs(const struct judgement *j, int test);

/* Ends every process that the judgement has started. */
void judgement_end_processes(struct judgement *j);

/* Will the submission's calls be timed by a clock, and not by a model? */
bool judgement_is_measured(const struct judgement *j);

/* Marks the verdict so far as doubtful: somebody else may have used the GPU or the host.
 * On a GPU the first attempt does not count then. */
void judgement_doubt(struct judgement *j);

/* Ends the runner, if there is one, and all processes that it started. */
void judgement_stop_runner(struct judgement *j);

#endif
