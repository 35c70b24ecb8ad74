/*
 * The arbiter of a worker's device, which stays from one lease to the next as the
 * daemon's do (record/job.h, --stay). Private to worker*.c.
 *
 * On a GPU it keeps its context, and the reference's. So it has the device until it has
 * ended, also while nothing is judged, and the worker keeps the device's lock as long
 * (worker_leave_devices()). Where it is killed, fails or ends, the next judgement has a
 * new one.
 */
#ifndef CLI_WORKER_ARBITER_H
#define CLI_WORKER_ARBITER_H

#include "base/report.h"
#include "cli/worker_run.h"

#include <stdbool.h>

struct worker_arbiter;

/* The place of an arbiter; none is there yet. The name of the device is the caller's. */
struct worker_arbiter *worker_arbiter_new(const char *device);

/* Tells it to leave, and kills it where it does not leave soon. */
void worker_arbiter_free(struct worker_arbiter *a);

/* Is there one? It has the device. */
bool worker_arbiter_is_there(const struct worker_arbiter *a);

/* Can a judgement begin at once: is it idle, or is there none? */
bool worker_arbiter_is_ready(const struct worker_arbiter *a);

/* Tells it to leave, if it is there. Some time later it is not there any more. It is not
 * called while it judges. */
void worker_arbiter_dismiss(struct worker_arbiter *a);

/* There is work for it, or was until now: it has not been idle for long. */
void worker_arbiter_has_work(struct worker_arbiter *a);

/* Waits for what it does, for ms at most. It may become idle, or end. It is told to leave
 * where it was idle for too long, and killed where it has not left in time. */
void worker_arbiter_wait(struct worker_arbiter *a, int ms);

/* Has the folder judged, whose job.json, reference and submission are there, by the
 * arbiter or by a new one, which is to judge `most`. Lines go to p->line. -1 and a report
 * where there is no result: it was killed, as p->pulse said or after the limit, or has
 * failed. Returns when the result is known, while everything of the judgement is still
 * given back. */
int worker_arbiter_judge(struct worker_arbiter *a, long most, const char *folder,
                         const struct worker_program *p, struct report *r);

/* Removes a folder; that of the last judgement once everything of it is given back. */
void worker_arbiter_remove(struct worker_arbiter *a, const char *folder);

#endif
