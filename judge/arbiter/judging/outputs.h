/* Are the outputs of a call right? One answer for submissions and for wrong answers that
 * `warpjudge problem check` makes up. */
#ifndef ARBITER_JUDGING_OUTPUTS_H
#define ARBITER_JUDGING_OUTPUTS_H

#include "arbiter/judging/checker.h"
#include "arbiter/judging/reference.h"
#include "numbers/compare.h"

/* The rule that holds for an output that no checker judges: its own or the problem's. */
struct compare_rule outputs_rule(const struct problem *p, int param, bool benchmark);

/* How many of an output's elements may break it. */
uint64_t outputs_allowed(const struct problem *p, int param, bool benchmark,
                         uint64_t count);

struct outputs_finding {
    int param;                    /* the first output that is wrong; -1: all are right */
    struct compare_result result; /* of that output; of the checker's and of rows in any
                                     order only `first` */
    bool checker_crashed;
    char text[CHECKER_TEXT_MAX]; /* the sentence of these; "" where a rule decided */
};

/* Compares set's private copies with the answer; d is the device of both, or shares their
 * memory. */
int outputs_compare(struct device *d, const struct call_set *set, const struct answer *a,
                    bool benchmark, struct outputs_finding *out, struct report *r);

#endif
