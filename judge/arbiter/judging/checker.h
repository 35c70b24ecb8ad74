/* The problem's checker.c decides about outputs that are right in more than one way
 * (docs/problem-format.md). */
#ifndef ARBITER_JUDGING_CHECKER_H
#define ARBITER_JUDGING_CHECKER_H

#include "arbiter/calling/call_set.h"
#include "arbiter/judging/author.h"

#define CHECKER_TEXT_MAX 432

/* The first thing that the checker found wrong. */
struct checker_finding {
    int param;      /* the output; -1: nothing is wrong */
    bool crashed;   /* the outputs made the checker crash, or not end */
    uint64_t index; /* the output's element */
    char text[CHECKER_TEXT_MAX];
};

/* Judges set's private copies of the outputs. `known` holds the inputs and the
 * reference's outputs for the same test and seed. Outputs on which the checker crashes
 * are wrong. If it fails in another way, -1: we have failed. */
int checker_run(struct author *checker, const struct call_set *set,
                const struct call_set *known, uint64_t seed, bool benchmark,
                struct checker_finding *out, struct report *r);

#endif
