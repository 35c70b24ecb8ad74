/*
 * Which problems of the judge's list somebody wants to see, and in which order: the words
 * and flags of `problems`.
 *
 * A problem is shown if it has every word and every tag. It must also have one of the
 * difficulties and one of the states that were asked for, where any were.
 */
#ifndef CLI_PROBLEM_FILTER_H
#define CLI_PROBLEM_FILTER_H

#include "base/report.h"
#include "cli/args.h"

#include <cjson/cJSON.h>

/* The order of the course, which the daemon knows: the list comes in it if it is asked.
 */
#define PROBLEMS_BY_COURSE "course"

/* Takes what the arguments do not ask for out of the array of problems, and sorts the
 * rest. The words are the arguments behind the verb. -1 and a report if they name a tag
 * that no problem has, or an order that there is not. */
int problem_filter(cJSON *problems, const struct args *args, struct report *r);

/* The place that is shown for a problem: the first, where one is told. NULL: none. */
const cJSON *problem_place(const cJSON *problem);

#endif
