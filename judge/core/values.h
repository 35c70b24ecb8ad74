/*
 * Values of inputs: from a spec's description (docs/problem-format.md, "Values") to a
 * struct gen, which any device can fill a buffer with, or to a whole buffer made on the
 * host.
 *
 *   values_read.c   JSON to struct value_spec
 *   values.c        what a description is at a test's sizes; generators
 *   values_make.c   whole buffers on the host
 *   values_source.c their elements: lists, formulas, and what draw.h makes
 *   draw.c          sequences whose elements depend on each other: sorted, distinct, ...
 */
#ifndef CORE_VALUES_H
#define CORE_VALUES_H

#include "core/problem.h"

/* The generator of parameter `param` in test t, whose shape there is `extent`. Fails
 * where the bounds make no sense at these sizes or do not fit the type, and where it is
 * no generator. */
int values_resolve(const struct problem *p, const struct test_case *t, int param,
                   const struct extent *extent, struct gen *out, struct report *r);

/* Are the values of `param` sound in test t, as far as shows without making them? */
int values_verify(const struct problem *p, const struct test_case *t, int param,
                  const struct extent *extent, struct report *r);

/* problem_value_source and problem_make. */
enum value_source values_source(const struct problem *p, const struct test_case *t,
                                int param);
int values_make(const struct problem *p, const struct test_case *t, int param,
                uint64_t seed, void *dst, struct report *r);

#endif
