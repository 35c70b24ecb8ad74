/* The timed runs of an accepted submission. */
#ifndef ARBITER_TIMING_H
#define ARBITER_TIMING_H

#include "arbiter/judgement.h"

/* Makes the answer of one more timed call, as long as the submission is not there yet:
 * its inputs depend on its source only (seeds.h). 1: it did; 0: there is none to make;
 * -1: we failed. */
int timing_prepare(struct judgement *j, struct report *r);

/* Fills j->result.timing, or j->outcome where a timed call goes wrong. */
int timing_run(struct judgement *j, struct report *r);

#endif
