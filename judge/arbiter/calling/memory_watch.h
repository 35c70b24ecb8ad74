/*
 * Holds a submission to the problem's limit of device memory on a GPU, by accounting. (On
 * emu the emulated GPU refuses what is above the limit.) No memory is taken from anybody,
 * and no setting of the GPU is changed.
 *
 * The arbiter asks again and again while a call runs how much of the GPU's memory is
 * free. It compares that with what was free when the runner's process had its context but
 * nothing of the submission yet. The difference is what the submission has taken. That
 * and the buffers of the call must not be above the limit. The figure is a lower bound:
 * memory that is taken and given back between two looks, within a millisecond, is not
 * seen. When something of ours fails, perhaps for want of memory, there is one more look.
 *
 * Others may take memory meanwhile: a neighbour that prepares, or other people's
 * programs. No submission is refused for that:
 *
 *   Memory that is still not free when the submission's process is dead was not the
 *   submission's. So nothing is decided before that, and the judgement goes on.
 *
 *   Somebody else may have taken memory and given it back in just that time. So the first
 *   finding is never final: the submission is judged again, alone, and refused only if
 *   the same is seen then.
 *
 * If the device does not tell what is free (emu, host), nothing is seen and no submission
 * is refused.
 */
#ifndef ARBITER_CALLING_MEMORY_WATCH_H
#define ARBITER_CALLING_MEMORY_WATCH_H

#include "arbiter/calling/call_set.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

/* What was seen of one call. */
struct memory_use {
    char *where;    /* "test 3 (N=31)"; owned; NULL: nothing was seen */
    int gpu;        /* the GPU whose memory it is */
    uint64_t bytes; /* includes the call's buffers */
    bool timed;     /* the call was timed, so that users may not read the bytes */
};

/* The state for one process that the submission is loaded into. Our own buffers come and
 * go, so they count as free memory here. */
struct memory_watch {
    uint64_t had[DEVICE_GPUS_MAX];   /* free before the submission; 0: not known */
    uint64_t least[DEVICE_GPUS_MAX]; /* the least that was free so far in this call */
    struct memory_use over;          /* the call that was furthest over the limit */
};

/* --- pure functions -------------------------------------------------------- */

/* Begins, while nothing of the submission is loaded. `now` is what is free. */
void memory_watch_begin(struct memory_watch *w,
                        const struct device_memory now[DEVICE_GPUS_MAX]);

/* Takes in one look during a call. */
void memory_watch_see(struct memory_watch *w,
                      const struct device_memory now[DEVICE_GPUS_MAX]);

/* The call has ended: keeps it in w->over if it was the furthest over the limit so far.
 * buffers has the bytes of its arguments on each GPU. */
void memory_watch_end_call(struct memory_watch *w,
                           const uint64_t buffers[DEVICE_GPUS_MAX], uint64_t limit,
                           const char *where);

/* The submission's process has ended and `now` is free: returns how many bytes of w->over
 * were certainly the submission's. */
uint64_t memory_watch_certain(const struct memory_watch *w,
                              const struct device_memory now[DEVICE_GPUS_MAX]);

/* Are the bytes over the limit, by more than a program has without allocating? */
bool memory_is_over(uint64_t bytes, uint64_t limit);

/* --- looking --------------------------------------------------------------- */

/* Does the device tell what is free? */
bool memory_watch_works(const struct memory_watch *w);

/* Begins, before the submission is loaded. */
int memory_watch_start(struct memory_watch *w, struct device *d, struct report *r);

/* Looks once during a call. */
int memory_watch_look(struct memory_watch *w, struct device *d, struct report *r);

/* Looks once more at a call with this set of buffers, which has ended. */
int memory_watch_call(struct memory_watch *w, const struct call_set *set,
                      const char *where, bool timed, struct report *r);

/* Looks when no call runs, and counts no buffers as the submission's. */
int memory_watch_between_calls(struct memory_watch *w, struct device *d, uint64_t limit,
                               struct report *r);

void memory_watch_free(struct memory_watch *w);

#endif
