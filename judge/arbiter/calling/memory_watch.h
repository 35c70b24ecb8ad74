/*
 * The problem's limit of device memory on a GPU, held by accounting. Nothing is taken
 * away from anybody and no setting of the card is changed: what is free on the card is
 * asked for again and again while a call runs, and compared with what was free when the
 * process had its context but nothing of the submission's yet. The difference is what the
 * submission has taken; with the buffers of the call it may be the limit. (On emu the
 * emulated GPU refuses what is above the limit.) It is a lower bound: what is taken and
 * given back between two looks, a millisecond, is not seen. When something of ours fails,
 * perhaps for want of memory, there is one look more.
 *
 * Others may take memory meanwhile: a neighbour that prepares, programs of other people.
 * Nobody is refused for that:
 *
 *   What is not free again when the submission's process is dead was not the
 *   submission's. So nothing is decided before that: the judgement goes on.
 *
 *   What somebody else has taken and given back in just that time is left. So the first
 *   finding is never the last word: it is judged again, alone, and refused only if the
 *   same is seen then.
 *
 * Where the device does not tell what is free (emu, host) nothing is seen and nobody is
 * refused.
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
    int gpu;        /* which one's memory it is */
    uint64_t bytes; /* the call's buffers included */
};

/* Of one process that the submission is loaded into. "Free" is what nobody holds, or we
 * do: our own buffers come and go. */
struct memory_watch {
    uint64_t had[DEVICE_GPUS_MAX];   /* free before it was; 0: not known */
    uint64_t least[DEVICE_GPUS_MAX]; /* free at any look so far in this call */
    struct memory_use over;          /* the call that was furthest over the limit */
};

/* --- pure functions -------------------------------------------------------- */

/* Nothing of the submission is there yet. */
void memory_watch_begin(struct memory_watch *w,
                        const struct device_memory now[DEVICE_GPUS_MAX]);

/* One look during a call. */
void memory_watch_see(struct memory_watch *w,
                      const struct device_memory now[DEVICE_GPUS_MAX]);

/* The call has ended: was it over the limit? buffers: bytes of its arguments on each GPU.
 */
void memory_watch_end_call(struct memory_watch *w,
                           const uint64_t buffers[DEVICE_GPUS_MAX], uint64_t limit,
                           const char *where);

/* The process has ended, and this much is free: what of w->over was certainly its own. */
uint64_t memory_watch_certain(const struct memory_watch *w,
                              const struct device_memory now[DEVICE_GPUS_MAX]);

/* Is that over the limit, by more than a program may have without allocating it? */
bool memory_is_over(uint64_t bytes, uint64_t limit);

/* --- looking --------------------------------------------------------------- */

/* Is there anything to be seen? */
bool memory_watch_works(const struct memory_watch *w);

/* Before the submission is loaded. */
int memory_watch_start(struct memory_watch *w, struct device *d, struct report *r);
int memory_watch_look(struct memory_watch *w, struct device *d, struct report *r);

/* A last look at a call, with this set of buffers, that has ended. */
int memory_watch_call(struct memory_watch *w, const struct call_set *set,
                      const char *where, struct report *r);

/* A look when no call runs; counts no buffers as the program's. */
int memory_watch_between_calls(struct memory_watch *w, struct device *d, uint64_t limit,
                               struct report *r);

void memory_watch_free(struct memory_watch *w);

#endif
