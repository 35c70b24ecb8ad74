/* Runs the tests of a spec. Each test is one call of the submission, and none is timed.
 */
#ifndef ARBITER_FUNCTIONAL_TESTS_H
#define ARBITER_FUNCTIONAL_TESTS_H

#include "arbiter/judging/judgement.h"

/* Runs the tests that decide, up to the first that fails. Their results are in
 * j->result.test then, and what the submission did wrong is in j->outcome. -1: we failed.
 */
int functional_tests_run(struct judgement *j, struct report *r);

/* Runs the tests beyond the largest case of the problem's source, after the timed calls
 * of an accepted submission. A failure becomes a remark of its time and changes no
 * verdict; the runner may be gone then. -1: we failed. */
int functional_tests_run_beyond(struct judgement *j, struct report *r);

#endif
