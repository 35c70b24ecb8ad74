/*
 * Wrong answers that `warpjudge problem check` makes up, one after the other in place of
 * a submission's outputs: each must fail at least one test, and the benchmark's check.
 * Every mutant alters one output and leaves the others right, so that a sharp output
 * does not cover for a blunt one.
 */
#ifndef ARBITER_SOUNDNESS_MUTANTS_H
#define ARBITER_SOUNDNESS_MUTANTS_H

#include "arbiter/judging/reference.h"

enum mutant_kind {
    MUTANT_ZEROS,
    MUTANT_CONSTANT,   /* the mean of the right values everywhere */
    MUTANT_COPY,       /* an input's values as they were before the call */
    MUTANT_ELEMENT,    /* one element off by clearly more than the tolerance */
    MUTANT_NAN,        /* one element */
    MUTANT_FEWER_BITS, /* all outputs as the reference makes them of rounded inputs */
};

struct mutant {
    enum mutant_kind kind;
    int output; /* FEWER_BITS: -1 */
    int input;  /* COPY; else -1 */
    int place;  /* ELEMENT: 0 first, 1 in the middle, 2 last */
    /* What became of it. `tried` counts calls in which it is not just the right answer.
     */
    int tests_tried, tests_failed;
    int benchmark_tried, benchmark_failed;
};

#define MUTANTS_MAX 2048

/* All that make sense for this problem; the caller frees the array. */
struct mutant *mutants_of(const struct problem *p, int *count);

/* Puts it into set's private copies. inputs: the values before the call, on the same
 * device, whose buffers must be host memory. *applies: false where it cannot be made at
 * these sizes, or would be the right answer by its nature (the mean of one element). */
int mutant_make(const struct mutant *s, struct call_set *set,
                const struct call_set *inputs, const struct answer *a, bool benchmark,
                bool *applies, struct report *r);

/* For FEWER_BITS: rounds the inputs of set to fp16 (float32) or to fp32 (float64), adds
 * to *changed how many values that changed. A reference_change_fn. */
int mutant_round_inputs(void *changed, struct call_set *set, struct report *r);

/* The same for outputs: from `from` into set's copies. */
int mutant_round_outputs(struct call_set *set, const struct call_set *from,
                         uint64_t *changed, struct report *r);

/* Does the problem compute in float32 (or float64) all through, so that fewer bits must
 * fail? ACCEPT_FP16, ACCEPT_FP32, or -1. */
int mutant_fewer_bits(const struct problem *p);

/* "C of all zeros", for a sentence; the caller frees. */
char *mutant_text(const struct mutant *s, const struct problem *p);

#endif
