/*
 * Is the host busy with somebody else's work? Both sides of a timed call wait without
 * sleep (runner/awake.h, which counts it), so that they are on a CPU all the time unless
 * the kernel takes it away; that is chance, or an accomplice's doing. What makes an empty
 * call longer makes the submission's time as much shorter: so a call that it was in does
 * not count, and our own work that it was in is no evidence against anybody.
 */
#ifndef ARBITER_MEASURING_HOST_BUSY_H
#define ARBITER_MEASURING_HOST_BUSY_H

#include <stdbool.h>

/* Of the empty calls so far, those that did not count. */
struct host_busy {
    int late;      /* the card waited for the launch */
    int preempted; /* the arbiter or the runner had lost its CPU */
};

/* Does an empty call count, of which this is so? Where many are late though nobody had
 * our CPUs the host is slow, as it is for the submission: then they do. */
bool host_busy_counts(struct host_busy *b, bool late, bool preempted);

/* Were so many preempted that nothing can be timed? */
bool host_busy_always(const struct host_busy *b);

#endif
