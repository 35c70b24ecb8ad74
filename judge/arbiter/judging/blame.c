#include "arbiter/judging/blame.h"

#include "arbiter/judging/concealed.h"
#include "base/file.h"
#include "emulator/emulator.h"

#include <stdio.h>
#include <time.h>

#define GIB ((uint64_t)1 << 30)

/* Waits until it is certain that the submission was over the limit, or the time is over
 * in which a dead process's memory is given back. */
static int
wait_for_certain_memory(struct judgement *j, uint64_t *certain, struct report *r)
{
    const struct timespec step = {.tv_nsec = GIVEN_BACK_STEP_NS};
    const uint64_t end_ns = now_ns() + GIVEN_BACK_NS;
    struct device_memory now[DEVICE_GPUS_MAX];

    for (;;) {
        if (device_memory(j->device, now, r) != 0)
            return -1;
        *certain = memory_watch_certain(&j->memory, now);
        if (memory_is_over(*certain, j->problem->memory_limit) || now_ns() >= end_ns)
            return 0;
        (void)nanosleep(&step, NULL);
    }
}

int
blame_settle_memory(struct judgement *j, struct report *r)
{
    const struct memory_use *over = &j->memory.over;
    const uint64_t limit = j->problem->memory_limit;
    char of[32] = "";
    uint64_t certain;

    if (over->where == NULL || j->outcome.verdict != VERDICT_ACCEPTED)
        return 0;
    judgement_stop_runner(j);
    if (wait_for_certain_memory(j, &certain, r) != 0)
        return -1;
    if (!memory_is_over(certain, limit))
        return 0;
    if (j->problem->gpus > 1)
        snprintf(of, sizeof of, " of GPU %d", over->gpu);
    outcome_set(&j->outcome, VERDICT_MEMORY_LIMIT,
                "%s: the program had at least %.3g GiB of device memory%s, buffers "
                "included; the problem allows %.3g GiB",
                over->where, (double)certain / (double)GIB, of,
                (double)limit / (double)GIB);
    if (over->timed)
        concealed_outcome(j, over->where);
    j->outcome.may_retry = j->job.attempt == 1;
    return 0;
}

/* Blames the submission if we were refused device memory that is free once its process is
 * gone. Then the submission held it. */
static int
blame_memory(struct judgement *j)
{
    int gpu;
    const uint64_t bytes = device_refused(j->device, &gpu);
    struct report ignored = {0};
    struct device_buffer *b;

    if (bytes == 0)
        return -1;
    judgement_stop_runner(j);
    if (device_alloc_on(j->device, gpu, bytes, false, &b, &ignored) != 0)
        return -1;
    device_free(j->device, b);
    outcome_set(&j->outcome, VERDICT_MEMORY_LIMIT,
                "the program keeps so much device memory that none is left for the "
                "buffers of the next call: it must free what it allocates");
    return 0;
}

/* Blames the submission if its calls were seen to have too much memory. The reference or
 * the driver may be what lacked it. */
static int
blame_use(struct judgement *j)
{
    struct report ignored = {0};

    return blame_settle_memory(j, &ignored) == 0 && j->outcome.verdict != VERDICT_ACCEPTED
               ? 0
               : -1;
}

/* Blames the submission if the reference says that it lacked memory, and does not lack it
 * once the submission's process is gone. Memory can come and go between two looks, so
 * that nothing else was seen. Without the reference's word it might be one that fails at
 * times. Another program may have had the memory. So this must happen twice, the second
 * time without a neighbour. */
static int
blame_shortage(struct judgement *j)
{
    struct report ignored = {0};

    /* On emu the reference has an emulated GPU of its own. */
    if (!reference_was_short(j->reference) || device_clock_modelled(j->device))
        return -1;
    judgement_stop_runner(j);
    if (reference_try_again(j->reference, &ignored) != 0)
        return -1;
    outcome_set(&j->outcome, VERDICT_MEMORY_LIMIT,
                "the program keeps so much device memory between two calls that the "
                "judge's reference cannot compute the next one's answer, as it can "
                "without the program: it must free what it allocates");
    j->outcome.may_retry = j->job.attempt == 1;
    return 0;
}

/* Blames the submission if its process was ended because it kept the GPU, or if the
 * emulated GPU's process has no memory left for the next call. */
static int
blame_kept(struct judgement *j)
{
    struct report ignored = {0};
    struct fault f;

    if (device_fault(j->device, &f, &ignored) != 1 ||
        (f.kind != FAULT_INTERRUPTED && f.kind != FAULT_PROCESS_MEMORY))
        return -1;
    outcome_set(&j->outcome,
                f.kind == FAULT_INTERRUPTED ? VERDICT_TIME_LIMIT : VERDICT_MEMORY_LIMIT,
                "%s", f.text);
    judgement_doubt(j);
    return 0;
}

/* If memory was short, it was short just now. So this looks at once who has it. But the
 * memory of a reference that has ended may not be given back yet, and would seem to be
 * the submission's. Then it does not look. */
int
blame_submission(struct judgement *j, struct report *r)
{
    struct report ignored = {0};

    if (!j->loaded)
        return -1;
    if (blame_kept(j) == 0) {
        *r = (struct report){0};
        return 0;
    }
    if (!reference_ended(j->reference))
        (void)memory_watch_between_calls(&j->memory, j->device, j->problem->memory_limit,
                                         &ignored);
    if (blame_memory(j) != 0 && blame_use(j) != 0 && blame_shortage(j) != 0)
        return -1;
    *r = (struct report){0};
    return 0;
}
