/* Runs the tests of a spec. Each test is one call of the submission, and none is timed.
 */
#ifndef ARBITER_FUNCTIONAL_TESTS_H
#define ARBITER_FUNCTIONAL_TESTS_H

#include "arbiter/judging/judgement.h"

/* Runs the tests up to the first that fails. Their results are in j->result.test then,
 * and what the submission did wrong is in j->outcome. -1: we failed. */
int functional_tests_run(struct judgement *j, struct report *r);

#endif
