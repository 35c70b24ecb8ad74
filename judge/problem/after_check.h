/* The check of the course's order: what `after` names, and that it goes in no circle. */
#ifndef PROBLEM_AFTER_CHECK_H
#define PROBLEM_AFTER_CHECK_H

#include "problem/problem.h"
#include "problem/problem_check.h"

/* Reports each problem in `after` that DIR does not have or that is named twice, and a
 * circle through this problem. Returns the number of errors. It reads the specs of those
 * before this problem only. */
int after_check(const char *dir, const struct problem *p, problem_error_fn *on_error,
                void *context);

#endif
