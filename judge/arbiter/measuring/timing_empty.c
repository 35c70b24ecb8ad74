/* Makes the empty calls that timing_policy.h asks for. They are timed as the submission's
 * calls are, on the same buffers, and in the process that loads the submission
 * afterwards.
 *
 * The arbiter before this one may still be there in the warm-up (gpu_lock.h), or a
 * neighbour prepares beside it. Then that is asked to stop. Calls go on meanwhile, so
 * that nothing gets cold, but do not count. The neighbour goes on after the calibration,
 * beside the tests. */
#include "arbiter/calling/gpu_lock.h"
#include "arbiter/calling/release.h"
#include "arbiter/measuring/timed_benchmark.h"
#include "base/file.h"

#include <stdlib.h>

int
timed_empty_answer(struct timed_benchmark *t, struct report *r)
{
    const uint64_t seed = seeds_make(&t->j->seeds, SEED_EMPTY, t->j->calls);

    return reference_answer(t->j->reference, t->test, seed, &t->answer, r);
}

/* Makes the reference compute, as it does before each of the submission's calls. */
static int
call_reference(struct timed_benchmark *t, struct timed_call *seen, struct report *r)
{
    const uint64_t start_ns = now_ns(), beside_ns = gpu_lock_beside_ns(t->j->gpu_lock);
    int rc = timed_empty_answer(t, r);

    seen->reference_ns = now_ns() - start_ns;
    seen->undisturbed = gpu_lock_was_undisturbed(t->j->gpu_lock, beside_ns);
    return rc;
}

static int
time_empty_call(struct timed_benchmark *t, struct call_log *log, struct timed_call *seen,
                struct report *r)
{
    const struct trial trial = {.set = timed_next_set(t),
                                .answer = &t->answer,
                                .empty = true,
                                .attach = log->count == 0,
                                .timed = true,
                                .behind = seen->behind,
                                .meter = t->meter,
                                .silent_bus = t->silent_bus,
                                .cpu = t->cpu};
    struct trial_result result;

    if (timing_empty_wants_reference(log->call, log->count) &&
        call_reference(t, seen, r) != 0)
        return -1;
    if (trial_run(t->j, &trial, &result, r) != 0)
        return -1;
    t->cpu = result.cpu; /* the next call waits on this CPU */
    seen->copied_behind = result.copied_behind;
    seen->ns = result.ns;
    seen->copy_ns = result.copy_ns;
    seen->fill_ns = result.fill_ns;
    seen->bus_bytes = result.bus_bytes;
    seen->late = result.late;
    seen->preempted = result.preempted;
    call_log_add(log, seen);
    return 0;
}

static int
call_all(struct timed_benchmark *t, struct call_log *log, bool can_be_behind,
         struct report *r)
{
    enum empty_next next;

    while ((next = timing_empty_next(t->plan, t->awake, can_be_behind, log->call,
                                     log->count)) != EMPTY_ENOUGH &&
           next != EMPTY_HOST_BUSY) {
        const bool warms_up = next == EMPTY_WARM_UP;
        struct timed_call seen = {.sample = !warms_up,
                                  .behind = next == EMPTY_BEHIND,
                                  .locked = !warms_up && gpu_lock_try(t->j->gpu_lock)};

        if (!seen.locked)
            timed_enter_step(t);
        if (timed_leave_step(t, time_empty_call(t, log, &seen, r)) != 0)
            return -1;
    }
    timing_empty_times(can_be_behind, log->call, log->count, &t->empty);
    if (next == EMPTY_ENOUGH)
        return 0;
    return report_fail(
        r,
        "this machine's CPUs are too busy to time anything: %d empty calls "
        "lost theirs to something else",
        t->empty.preempted);
}

int
timed_empty(struct timed_benchmark *t, struct report *r)
{
    struct call_log log = {0};
    int rc;

    call_log_begin(&log);
    rc = call_all(t, &log, release_can_be_behind(&t->set[0]), r);
    free(log.call);
    return rc;
}
