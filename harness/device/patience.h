/*
 * A limit on how long a request to the emulated GPU may wait behind a submission's
 * launches. An honest program is idle whenever the judge asks something. A thread of a
 * hostile one can keep launching, or fill the queue with launches that never end, after
 * it has said that it is done. A thread of ours watches a clock and interrupts.
 */
#ifndef DEVICE_PATIENCE_H
#define DEVICE_PATIENCE_H

#include "core/report.h"

#include <stdbool.h>
#include <stdint.h>

struct patience;

/* Both are called from another thread, never after the request has ended: interrupt again
 * and again once a request takes longer than limit_ms, give_up where that has not helped
 * within limit_ms more. give_up must make the request fail. */
struct patience_acts {
    void (*interrupt)(void *arg);
    void (*give_up)(void *arg);
    uint64_t (*clock_ns)(void *arg); /* that the limit is of; NULL: CLOCK_MONOTONIC */
};

struct patience *patience_new(uint64_t limit_ms, const struct patience_acts *acts,
                              void *arg, struct report *r);
void patience_free(struct patience *p); /* ends the thread; NULL is allowed */

/* Around each request; cheap. end: has it been given up, or one before it? */
void patience_begin(struct patience *p);
bool patience_end(struct patience *p);

#endif
