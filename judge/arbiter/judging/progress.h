/* What the daemon is told while a judgement runs: one JSON object a line (record/job.h).
 */
#ifndef ARBITER_JUDGING_PROGRESS_H
#define ARBITER_JUDGING_PROGRESS_H

/* event: "test" or "timing". A daemon that has gone away is no error here: its death ends
 * us. */
void progress(const char *event, int done, int of);
void progress_preparing(void);

/* The next one of this device may be prepared now, beside this one (gpu_lock.h). */
void progress_neighbour_may_start(void);

/* The result is written: what this process does from now on is to leave. */
void progress_result(void);

#endif
