/* The timed runs of an accepted submission. */
#ifndef ARBITER_TIMING_H
#define ARBITER_TIMING_H

#include "arbiter/judgement.h"

/* Fills j->result.timing, or j->outcome where a timed call goes wrong. */
int timing_run(struct judgement *j, struct report *r);

#endif
