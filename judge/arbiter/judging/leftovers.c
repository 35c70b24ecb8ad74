#include "arbiter/judging/leftovers.h"

#include "arbiter/calling/gpu_lock.h"
#include "arbiter/judging/judgement.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLEPT_NS_MAX 1000000u /* the two clocks are not read at one moment */

/* Memory that may be missing, since the reference's context may have grown. More is told
 * in the log and in a remark. No verdict depends on it, since another program on the GPU
 * may have taken it. */
#define MEMORY_SLACK ((uint64_t)256 << 20)

/* What a neighbour's three contexts take at most, some hundred MiB each. One of our own,
 * the submission's, has ended by then. */
#define NEIGHBOUR_BYTES ((uint64_t)2 << 30)

static int
note_memory(struct judgement *j, struct report *r)
{
    struct before *b = &j->before;

    (void)gpu_lock_neighbour(j->gpu_lock, &b->neighbour_bytes);
    return device_health(j->device, b->memory, r);
}

int
before_submission(struct judgement *j, struct report *r)
{
    j->before.slept_ns = slept_ns();
    return note_memory(j, r);
}

int
before_alone(struct judgement *j, struct report *r)
{
    gpu_lock_await_before(j->gpu_lock);
    if (!gpu_lock_before_is_well(j->gpu_lock))
        return report_fail(r, "the judgement before it on this device has ended badly, "
                              "or not at all, and may have left a process");
    return note_memory(j, r);
}

uint64_t
leftovers_missing(const struct device_memory *before, const struct device_memory *now)
{
    const uint64_t had = before->free_bytes + before->own_bytes;
    const uint64_t has = now->free_bytes + now->own_bytes + MEMORY_SLACK;

    return before->free_bytes > 0 && has < had ? had - has : 0;
}

/* Counts as ours what a neighbour has taken since (gpu_lock.h). It cannot be the
 * submission's. */
static void
excuse_neighbour(const struct judgement *j, struct device_memory *now)
{
    const uint64_t had = j->before.neighbour_bytes;
    uint64_t held_bytes;

    if (gpu_lock_neighbour(j->gpu_lock, &held_bytes))
        now->own_bytes += NEIGHBOUR_BYTES + (held_bytes > had ? held_bytes - had : 0);
}

/* The bytes that are missing on all GPUs. More free memory on one does not make up for
 * less on another. */
static uint64_t
missing_anywhere(const struct before *before, const struct device_memory *now)
{
    uint64_t bytes = 0;

    for (int i = 0; i < DEVICE_GPUS_MAX; i++)
        bytes += leftovers_missing(&before->memory[i], &now[i]);
    return bytes;
}

/* Waits until as much is free as before, or the time is over. What the reference keeps
 * for itself is not missing, so its process is ended first. That takes the GPU time, and
 * is done only if something seems to be missing. */
static int
wait_for_freed_memory(struct judgement *j, uint64_t *missing, struct report *r)
{
    const struct timespec step = {.tv_nsec = GIVEN_BACK_STEP_NS};
    const uint64_t end_ns = now_ns() + GIVEN_BACK_NS;
    struct device_memory now[DEVICE_GPUS_MAX];

    for (;;) {
        if (device_health(j->device, now, r) != 0)
            return -1;
        excuse_neighbour(j, &now[0]);
        *missing = missing_anywhere(&j->before, now);
        if (*missing == 0 || now_ns() >= end_ns)
            return 0;
        if (!device_clock_modelled(j->device))
            reference_stop(j->reference);
        (void)nanosleep(&step, NULL);
    }
}

/* Logs how much memory is missing, and says it in a remark if there is none yet. A GPU
 * that was not as usual has one already. */
static void
say_missing(struct judgement *j, uint64_t missing)
{
    struct timing *t = &j->result.timing;
    char *what =
        xasprintf("%ju MiB of the device's memory were not free again %ju s after the "
                  "program had ended: another program may be using the GPU",
                  (uintmax_t)(missing >> 20), (uintmax_t)(GIVEN_BACK_NS / 1000000000u));

    fprintf(stderr, "%s\n", what);
    if (j->outcome.verdict == VERDICT_ACCEPTED && t->present && t->remark == NULL)
        timing_fields_remark(t, what);
    else
        free(what);
}

int
leftovers_check(struct judgement *j, struct report *r)
{
    uint64_t missing;

    judgement_stop_runner(j);
    if (j->survivors)
        return report_fail(r, "a process of the submission lives on although it was "
                              "killed: a driver holds it");
    if (slept_ns() - j->before.slept_ns > SLEPT_NS_MAX)
        return report_fail(r, "the machine slept during the judgement");
    if (wait_for_freed_memory(j, &missing, r) != 0)
        return -1;
    j->lacks_memory = missing > 0;
    if (j->lacks_memory)
        say_missing(j, missing);
    return 0;
}
