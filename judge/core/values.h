/*
 * Values of inputs: from a spec's description to a struct gen.
 *
 * A description is one of
 *   "identity"                       1 where row == column, else 0 (two dimensions)
 *   {"constant": c}                  {"ramp": [start, step]}
 *   {"uniform": [lo, hi]}            {"integers": [lo, hi]}        {"normal": [mean, sd]}
 *   {"list": [...]}  all elements    {"cycle": [...]}  again and again
 *   {"same": "A"}  {"negate": "A"}   the values of another input, or their negatives
 *   {"mostly": {"value": v, "share": s, "rest": {"uniform" or "integers": [lo, hi]}}}
 * where c, lo, hi, mean, sd, start, step and v are numbers or EXPR_REAL expressions.
 */
#ifndef CORE_VALUES_H
#define CORE_VALUES_H

#include "core/problem.h"

/* The generator of parameter `param` in test t, whose shape there is `extent`. Fails
 * where the bounds make no sense at these sizes or do not fit the type. */
int values_resolve(const struct problem *p, const struct test_case *t, int param,
                   const struct extent *extent, struct gen *out, struct report *r);

#endif
