/* The tests of a spec: each is one call of the submission, and none is timed. */
#ifndef ARBITER_FUNCTIONAL_TESTS_H
#define ARBITER_FUNCTIONAL_TESTS_H

#include "arbiter/judging/judgement.h"

/* Runs them up to the first that fails. Their results are in j->result.test, the failure
 * in j->outcome; -1 is ours. */
int functional_tests_run(struct judgement *j, struct report *r);

#endif
