/* Outputs that are right in more than one way: a problem's checker.c decides
 * (docs/problem-format.md). */
#ifndef ARBITER_JUDGING_CHECKER_H
#define ARBITER_JUDGING_CHECKER_H

#include "arbiter/calling/call_set.h"
#include "arbiter/judging/author.h"

#define CHECKER_TEXT_MAX 432

/* What it found wrong first. */
struct checker_finding {
    int param;      /* an output; -1: nothing is wrong */
    bool crashed;   /* the checker did, or did not end: what it was to judge made it */
    uint64_t index; /* an element of it */
    char text[CHECKER_TEXT_MAX];
};

/* Judges set's private copies of the outputs. `known` holds the inputs and the
 * reference's outputs for the same test and seed. A checker that crashes on them does not
 * take them for right; where it fails otherwise we do. */
int checker_run(struct author *checker, const struct call_set *set,
                const struct call_set *known, uint64_t seed, bool benchmark,
                struct checker_finding *out, struct report *r);

#endif
