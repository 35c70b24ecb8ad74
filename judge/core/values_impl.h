/* A description of values as values_read.c reads it and values.c and values_make.c use
 * it. Private to these. */
#ifndef CORE_VALUES_IMPL_H
#define CORE_VALUES_IMPL_H

#include "core/expr.h"
#include "core/values.h"

/* Those before VALUES_OTHER are a struct gen where their numbers fit one, SORTED where
 * there are many; the rest is made on the host, a whole buffer at a time. */
enum value_kind {
    VALUES_CONSTANT,
    VALUES_UNIFORM,
    VALUES_INTEGERS,
    VALUES_NORMAL,
    VALUES_RAMP,
    VALUES_LIST,
    VALUES_CYCLE,
    VALUES_IDENTITY,
    VALUES_MOSTLY,
    VALUES_CHOICE,
    VALUES_DISTINCT,
    VALUES_SCATTER,
    VALUES_OTHER, /* of another parameter */
    VALUES_SORTED,
    VALUES_OFFSETS,
    VALUES_SPARSE,
    VALUES_FORMULA,
    VALUES_FILE, /* inputs.c */
};

enum sparse_part { SPARSE_ROW_OFFSETS, SPARSE_ROWS, SPARSE_COLUMNS };

struct value_spec {
    enum value_kind kind;
    const struct expr *a, *b; /* in the order they are written; MOSTLY: a is the value;
                                 DISTINCT: NULL for 0 .. as many as there are; SCATTER,
                                 OFFSETS, SPARSE: a is the count */
    double share;             /* MOSTLY */
    const struct value_spec
        *rest; /* MOSTLY, SORTED, SCATTER; FORMULA, FILE: NULL without */
    int count;
    const double *list; /* CHOICE: count values, then count running sums of weights, the
                           last 1 */
    int other;          /* OTHER: index of the parameter */
    bool negate;
    bool by_rows; /* DISTINCT, SORTED: each row of the last dimension on its own */
    const struct expr *rows, *columns; /* SPARSE */
    enum sparse_part part;
    uint32_t stream;            /* SPARSE: the same for all parts of one matrix */
    const struct expr *formula; /* its names: enum element_name */
};

/* Where a formula's names lie in the values of its scope: the scalars by parameter, then
 * these. */
enum element_name {
    ELEMENT_VALUE = PROBLEM_PARAMS_MAX,
    ELEMENT_I,
    ELEMENT_I0,
    ELEMENT_NAMES = ELEMENT_I0 + PROBLEM_RANK_MAX
};

/* What parameter *param draws in test t, through "same" and "negate" to a description of
 * its own; *param is whose it is then. NULL: reported. */
const struct value_spec *values_follow(const struct problem *p, const struct test_case *t,
                                       int *param, bool *negate, struct report *r);

/* Is it a struct gen for a buffer of this shape? */
bool values_is_gen(const struct value_spec *v, const struct extent *extent);

/* A count or size at this test's sizes: whole, from 0 to 2^53. what: for the sentence. */
int values_count(const struct expr *e, const struct test_case *t, const char *what,
                 uint64_t *out, struct report *r);

/* v as a generator of `type` for count elements with `columns` in a row; the stream is
 * the caller's to set. Fails where the bounds make no sense at these sizes or do not fit.
 */
int values_gen(const struct value_spec *v, const struct test_case *t, enum dtype type,
               const struct extent *extent, bool negate, struct gen *out,
               struct report *r);

/* Which shape values_gen needs for a parameter that has another's values: `own`, or the
 * other's where its elements depend on it. */
const struct extent *values_gen_shape(const struct value_spec *v,
                                      const struct extent *own,
                                      const struct extent *source);

/* The bounds of UNIFORM and INTEGERS at this test's sizes. */
int values_bounds(const struct value_spec *v, const struct test_case *t, double *lo,
                  double *hi, struct report *r);

/* values_source.c: the arguments of what is made on the host for a buffer of `type`, at
 * this test's sizes. */
int values_check_made(const struct problem *p, const struct test_case *t, enum dtype type,
                      const struct value_spec *v, const struct extent *extent,
                      struct report *r);

/* 0 if `value` fits the type, a whole number where it has no others. */
int values_fit(enum dtype type, double value, struct report *r);

#endif
