/*
 * Is the host busy with somebody else's work? During a timed call neither arbiter nor
 * runner sleeps (runner/awake.h). So they are on a CPU all the time, unless the kernel
 * takes it away for another program. That is chance, or the doing of an accomplice.
 *
 * A busy host makes calls longer. Where that is an empty call, it makes the submission's
 * time as much shorter. So such an empty call does not count, and slow work of our own
 * beside it is no evidence against anybody.
 */
#ifndef ARBITER_MEASURING_HOST_BUSY_H
#define ARBITER_MEASURING_HOST_BUSY_H

#include <stdbool.h>

/* How many empty calls did not count so far, and why. */
struct host_busy {
    int late;      /* the GPU waited for the launch */
    int preempted; /* the arbiter or the runner had lost its CPU */
};

/* Adds an empty call. Does it count? After 50 calls that were late without a lost CPU,
 * late ones count: the host is slow then, as it is for the submission. */
bool host_busy_counts(struct host_busy *b, bool late, bool preempted);

/* Did so many calls lose their CPU that nothing can be timed? */
bool host_busy_always(const struct host_busy *b);

#endif
