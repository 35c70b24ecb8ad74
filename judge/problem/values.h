/*
 * The values of inputs. A spec describes them (docs/problem-format.md, "Values"). A
 * description becomes a struct gen, with which any device can fill a buffer, or a whole
 * buffer that is made on the host.
 *
 *     values_read.c   from JSON to struct value_spec
 *     values.c        a description at a test's sizes, and generators
 *     values_make.c   whole buffers on the host
 *     values_source.c their elements: lists, formulas and what draw.h makes
 *     draw.c          sequences whose elements depend on each other
 */
#ifndef PROBLEM_VALUES_H
#define PROBLEM_VALUES_H

#include "problem/problem.h"

/* The generator of parameter `param` in test t, whose shape there is `extent`. It fails
 * where the bounds make no sense at these sizes or do not fit the type, and where the
 * description is no generator. */
int values_resolve(const struct problem *p, const struct test_case *t, int param,
                   const struct extent *extent, struct gen *out, struct report *r);

/* 0 if the values of `param` are sound in test t, as far as shows without making them. */
int values_verify(const struct problem *p, const struct test_case *t, int param,
                  const struct extent *extent, struct report *r);

/* The least and the largest whole number that the description of `param` draws in test t.
 * False where it is of another kind, or of a type that is not whole. */
bool values_promised(const struct problem *p, const struct test_case *t, int param,
                     double *lo, double *hi);

/* These two do what problem/problem.h says of problem_value_source() and problem_make().
 */
enum value_source values_source(const struct problem *p, const struct test_case *t,
                                int param);
int values_make(const struct problem *p, const struct test_case *t, int param,
                uint64_t seed, void *dst, struct report *r);

#endif
