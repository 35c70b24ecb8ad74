/* Tells the daemon what happens while a judgement runs: one JSON object for each line
 * (record/job.h). */
#ifndef ARBITER_JUDGING_PROGRESS_H
#define ARBITER_JUDGING_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* An arbiter that stays: what is said and read from here on is about the judgement with
 * this fence. A line with another fence is not the one that is waited for. */
void progress_begin(const char *fence);

/* event is "test" or "timing". If the daemon is gone, that is no error here: its death
 * ends this process. */
void progress(const char *event, int done, int of);
void progress_preparing(void);

/* A neighbour may be prepared now, beside this judgement (gpu_lock.h). */
void progress_neighbour_may_start(void);

/* Nothing of the submission is measured any more. The next arbiter may follow this
 * one (gpu_lock.h). */
void progress_measured(void);

/* The result is written. This process only gives back what it has from now on. */
void progress_result(void);

/* Everything of the judgement is given back, and the next one may come. */
void progress_idle(void);

/* Waits for the daemon's next line on the standard input, without its end. False at the
 * end of the file, and where the line is too long. */
bool progress_read_line(char *line, size_t size);

/* Is the daemon's next line this one, with the fence if there is one? If not, or at the
 * end of the file, nobody wants the judgement any more. */
bool progress_wait_for(const char *line);

/* The same of "go", or of "follow": the arbiter before this one is not gone yet. */
bool progress_wait_for_go(bool *follows);

/* Can a line be had without waiting, or has the input ended? */
bool progress_is_awaited(void);

/* Does nobody want the judgement any more, as far as the lines tell that have come? Does
 * not wait, and takes no line from progress_wait_for(). It is asked before "go" is waited
 * for. An arbiter that judges once looks at no line before it waits, and gets no. */
bool progress_is_unwanted(void);

/* Was "drop" among the lines of this judgement that were read? */
bool progress_is_dropped(void);

#endif
