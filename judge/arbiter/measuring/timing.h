/* The timed runs of an accepted submission. */
#ifndef ARBITER_MEASURING_TIMING_H
#define ARBITER_MEASURING_TIMING_H

#include "arbiter/judging/judgement.h"

/* Makes the answer of one more timed call, as long as the submission is not there yet:
 * its inputs depend on its source only (seeds.h). 1: it did; 0: there is none to make;
 * -1: we failed. */
int timing_prepare(struct judgement *j, struct report *r);

/* Where calls will be timed by a clock: makes the buffers for them, times the empty
 * solve() in j->runner, and calibrates, while nothing of the submission's is loaded
 * anywhere. Elsewhere it does nothing. j->timing is judgement_close's to free. */
int timing_begin(struct judgement *j, struct report *r);
void timing_free(struct timed_benchmark *t); /* also NULL */

/* How many of the runner's slots have the buffers for timed calls already: they stay,
 * since to map gigabytes takes as long as a whole warm-up. t may be NULL: none. */
int timing_slots(const struct timed_benchmark *t);

/* Fills j->result.timing, or j->outcome where a timed call goes wrong. */
int timing_run(struct judgement *j, struct report *r);

#endif
