/*
 * Mutants: wrong answers that `warpjudge problem check` makes up. It puts them one after
 * the other in the place of a submission's outputs. Each must fail at least one test, and
 * the benchmark's check.
 *
 * A mutant alters one output and leaves the others right. Else an output that is compared
 * strictly would hide that another one is not.
 */
#ifndef ARBITER_SOUNDNESS_MUTANTS_H
#define ARBITER_SOUNDNESS_MUTANTS_H

#include "arbiter/judging/reference.h"

enum mutant_kind {
    MUTANT_ZEROS,      /* every element is zero */
    MUTANT_CONSTANT,   /* every element is the mean of the right values */
    MUTANT_COPY,       /* the values that an input had before the call */
    MUTANT_ELEMENT,    /* one element is off by clearly more than the tolerance */
    MUTANT_NAN,        /* one element is a NaN */
    MUTANT_FEWER_BITS, /* all outputs, as the reference makes them from rounded inputs */
};

struct mutant {
    enum mutant_kind kind;
    int output; /* the parameter that it alters; FEWER_BITS: -1 */
    int input;  /* COPY: the parameter that it copies; else -1 */
    int place;  /* ELEMENT: which is wrong; 0: the first, 1: a middle one, 2: the last */
    /* How many calls it was tried at, and how many it failed. A call at which the mutant
     * is the right answer does not count as tried. */
    int tests_tried, tests_failed;
    int benchmark_tried, benchmark_failed;
};

#define MUTANTS_MAX 2048

/* All mutants that make sense for this problem. The caller frees the array. */
struct mutant *mutants_of(const struct problem *p, int *count);

/* Puts the mutant into set's private copies. `inputs` has the values before the call, on
 * the same device, whose buffers must be host memory.
 *
 * *applies is false if the mutant cannot be made at these sizes, or must be the right
 * answer there (the mean of one element). FEWER_BITS is not made here. */
int mutant_make(const struct mutant *s, struct call_set *set,
                const struct call_set *inputs, const struct answer *a, bool benchmark,
                bool *applies, struct report *r);

/* For FEWER_BITS: rounds the inputs of set, float32 to fp16 or float64 to fp32. `changed`
 * is a uint64_t to which it adds how many values have changed. It is a
 * reference_change_fn. */
int mutant_round_inputs(void *changed, struct call_set *set, struct report *r);

/* The same for outputs: rounds those of `from` into set's copies. */
int mutant_round_outputs(struct call_set *set, const struct call_set *from,
                         uint64_t *changed, struct report *r);

/* The exemption for FEWER_BITS. It is ACCEPT_FP16 if the problem has float32 buffers, and
 * ACCEPT_FP32 if it has float64 ones only. It is -1 if some buffer has a narrower type,
 * or none has floats, because then fewer bits need not be wrong. */
int mutant_fewer_bits(const struct problem *p);

/* A text for a sentence, such as "C of all zeros". The caller frees it. */
char *mutant_text(const struct mutant *s, const struct problem *p);

#endif
