/*
 * A watchdog for requests to a device that a submission's work could delay. When the
 * arbiter asks something, an honest submission is idle. But after a hostile one has
 * said that it is done, its thread can go on launching, or leave launches that never
 * end. A thread of ours watches a clock and interrupts.
 */
#ifndef DEVICE_WATCHDOG_H
#define DEVICE_WATCHDOG_H

#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

struct watchdog;

/* Once a request takes longer than limit_ms, `interrupt` is called again and again. If
 * that has not helped within limit_ms more, `give_up` is called, which must make the
 * request fail. All are called from the watchdog's thread, and the first two never after
 * the request has ended. */
struct watchdog_acts {
    void (*interrupt)(void *arg);
    void (*give_up)(void *arg);
    uint64_t (*clock_ns)(void *arg); /* the limit's clock; NULL: CLOCK_MONOTONIC */
};

struct watchdog *watchdog_new(uint64_t limit_ms, const struct watchdog_acts *acts,
                              void *arg, struct report *r);
void watchdog_free(struct watchdog *w); /* ends the thread; NULL is allowed */

/* Each request stands between these two calls, which are cheap. watchdog_end returns
 * whether this request, or one before it, was given up. */
void watchdog_begin(struct watchdog *w);
bool watchdog_end(struct watchdog *w);

#endif
