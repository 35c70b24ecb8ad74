/* The timed calls of an accepted submission. */
#ifndef ARBITER_MEASURING_TIMING_H
#define ARBITER_MEASURING_TIMING_H

#include "arbiter/judging/judgement.h"

/* On emu: makes the answer of one more timed call while the submission is still compiled.
 * The inputs depend on the judgement's seed only (seeds.h). 1: an answer was made; 0:
 * there is none to make; -1: we failed. */
int timing_prepare(struct judgement *j, struct report *r);

/* If calls will be timed by a clock, allocates their buffers, makes the empty calls in
 * j->runner, and calibrates. Nothing of the submission may be loaded anywhere yet.
 * Otherwise it does nothing. judgement_close frees j->timing. */
int timing_begin(struct judgement *j, struct report *r);
void timing_free(struct timed_benchmark *t); /* also NULL */

/* How many of the runner's slots hold the buffers for timed calls already. They stay
 * mapped during the tests, since to map gigabytes takes as long as a whole warm-up. A t
 * of NULL has none. */
int timing_slots(const struct timed_benchmark *t);

/* Makes the submission's timed calls. Fills j->result.timing, or j->outcome if a call
 * goes wrong. The runner stays up unless the submission is to blame. */
int timing_run(struct judgement *j, struct report *r);

/* Ends the measuring of a submission that has a time: where a clock timed it, this ends
 * the runner and calibrates the GPU again. Then it compares the time with the hardware's
 * limit, which may disqualify. */
void timing_end(struct judgement *j);

#endif
