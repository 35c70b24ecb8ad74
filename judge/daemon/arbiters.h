/*
 * Arbiters that stay: those that have judged, are alive and wait for another submission
 * of their device (record/job.h, --stay). On a GPU such an arbiter has its context
 * already.
 *
 * An arbiter belongs to one attempt, or it is idle and belongs to this list. It goes to
 * the attempt that takes it, and comes back when it says that it has given back
 * everything. It never comes back otherwise: one that is killed, fails or ends is gone,
 * and what it judged is judged again by a new one.
 */
#ifndef DAEMON_ARBITERS_H
#define DAEMON_ARBITERS_H

#include "daemon/child.h"

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct arbiters;

struct arbiters *arbiters_new(struct daemon *d);

/* Tells all to leave, and runs the loop until they have left, for 2 s at most. */
void arbiters_end(struct arbiters *all);

/* The processes are the children's, which are freed later. */
void arbiters_free(struct arbiters *all);

/* A number for a judgement that no other of this daemon's has: its fence. */
uint64_t arbiters_fence(struct arbiters *all);

/* An idle arbiter of this device, which is the caller's from then on, and calls what
 * `spec` says. NULL: there is none. */
struct child *arbiters_take(struct arbiters *all, const char *device,
                            const struct child_spec *spec);

/* Keeps an arbiter that is idle. It is told to leave when nobody has taken it for a
 * while and nothing is judged on its device. `ended` is called where it has ended. */
void arbiters_keep(struct arbiters *all, const char *device, struct child *child,
                   void (*ended)(void *arg), void *arg);

/* Tells those of this device to leave. Is any still there? */
bool arbiters_dismiss(struct arbiters *all, const char *device);

#endif
