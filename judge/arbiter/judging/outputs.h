/* Are the outputs of a call right? Submissions are compared here, and so are the mutants
 * that `warpjudge problem check` makes. */
#ifndef ARBITER_JUDGING_OUTPUTS_H
#define ARBITER_JUDGING_OUTPUTS_H

#include "arbiter/judging/checker.h"
#include "arbiter/judging/reference.h"
#include "numbers/compare.h"

/* The rule for an output that no checker judges: the output's own, or the problem's. */
struct compare_rule outputs_rule(const struct problem *p, int param, bool benchmark);

/* How many of an output's elements may break the rule. */
uint64_t outputs_allowed(const struct problem *p, int param, bool benchmark,
                         uint64_t count);

struct outputs_finding {
    int param; /* the first output that is wrong; -1: all are right */

    /* The comparison of that output. If the checker decided, or rows in any order were
     * compared, only `first` is set, and text has the sentence. Otherwise text is "". */
    struct compare_result result;
    bool checker_crashed;
    char text[CHECKER_TEXT_MAX];
};

/* Compares set's private copies with the answer. d is the device of both, or shares
 * memory with it. */
int outputs_compare(struct device *d, const struct call_set *set, const struct answer *a,
                    bool benchmark, struct outputs_finding *out, struct report *r);

#endif
