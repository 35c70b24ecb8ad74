/* The case of a user's own (problem/own_case.h): it takes the place of the problem's
 * tests, and the reference answers it. */
#ifndef ARBITER_JUDGING_OWN_ANSWER_H
#define ARBITER_JUDGING_OWN_ANSWER_H

#include "arbiter/judging/judgement.h"

/* How long the reference may take for such a case, in used time. The sizes are the
 * user's choice, so that nobody has tried how long it takes. */
#define OWN_ANSWER_MS 10000

/* Makes the job's case the only test of the problem, where the job has one. */
int own_case_load(struct judgement *j, struct report *r);
void own_case_close(struct judgement *j);

/* Computes the reference's answer to the case. Where it has none, j->outcome says why:
 * that is the case's fault and not the judge's. -1: we failed. */
int own_answer(struct judgement *j, struct answer *a, struct report *r);

#endif
