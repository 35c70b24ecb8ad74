/* Tells the daemon what happens while a judgement runs: one JSON object for each line
 * (record/job.h). */
#ifndef ARBITER_JUDGING_PROGRESS_H
#define ARBITER_JUDGING_PROGRESS_H

#include <stdbool.h>

/* event is "test" or "timing". If the daemon is gone, that is no error here: its death
 * ends this process. */
void progress(const char *event, int done, int of);
void progress_preparing(void);

/* A neighbour may be prepared now, beside this judgement (gpu_lock.h). */
void progress_neighbour_may_start(void);

/* The result is written. This process only ends from now on. */
void progress_result(void);

/* Waits for the daemon's next line on the standard input. Is it this one? If not, or at
 * the end of the file, nobody wants the judgement any more. */
bool progress_wait_for(const char *line);

#endif
