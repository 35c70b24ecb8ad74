/* struct value_spec, a description of values. values_read.c makes it from JSON; the other
 * values*.c use it. Private to them. */
#ifndef PROBLEM_VALUE_SPEC_H
#define PROBLEM_VALUE_SPEC_H

#include "problem/expr.h"
#include "problem/values.h"

/* The kinds before VALUES_OTHER become a struct gen where their numbers fit one, and so
 * does VALUES_SORTED where there are many elements. All others are made on the host, a
 * whole buffer at a time. */
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
    VALUES_OTHER, /* the values of another parameter */
    VALUES_SORTED,
    VALUES_OFFSETS,
    VALUES_SPARSE,
    VALUES_FORMULA,
    VALUES_FILE, /* inputs.c makes them */
};

enum sparse_part { SPARSE_ROW_OFFSETS, SPARSE_ROWS, SPARSE_COLUMNS };

struct value_spec {
    enum value_kind kind;
    const struct expr *a,
        *b;       /* in the order in which they are written. MOSTLY: a is the
                     value. SCATTER, OFFSETS, SPARSE: a is the count. DISTINCT:
                     NULL means from 0 to as many as there are elements */
    double share; /* MOSTLY */
    const struct value_spec
        *rest; /* MOSTLY, SORTED, SCATTER: what the others are drawn from;
                  FORMULA, FILE: what they start from, or NULL */
    int count;
    const double *list; /* CHOICE: count values, then count running sums of their weights,
                           of which the last is 1 */
    int other;          /* OTHER: the index of the parameter whose values they are */
    bool negate;
    bool by_rows; /* DISTINCT, SORTED: each row of the last dimension is one of its own */
    const struct expr *rows, *columns; /* SPARSE */
    enum sparse_part part;
    uint32_t stream;            /* SPARSE: all parts of one matrix have the same */
    const struct expr *formula; /* enum element_name says what its names are */
};

/* Where a formula's names lie among the values of its scope. The scalars come first, by
 * parameter, and then these. */
enum element_name {
    ELEMENT_VALUE = PROBLEM_PARAMS_MAX,
    ELEMENT_I,
    ELEMENT_I0,
    ELEMENT_NAMES = ELEMENT_I0 + PROBLEM_RANK_MAX
};

/* The description that parameter *param has in test t. "same" and "negate" are followed
 * to the parameter that has a description of its own, which *param then names. NULL where
 * the error has been reported. */
const struct value_spec *values_follow(const struct problem *p, const struct test_case *t,
                                       int *param, bool *negate, struct report *r);

/* Does the description become a struct gen for a buffer of this shape? */
bool values_is_gen(const struct value_spec *v, const struct extent *extent);

/* The value of a count or size at this test's sizes: a whole number from 0 to 2^53.
 * `what` names it in a report. */
int values_count(const struct expr *e, const struct test_case *t, const char *what,
                 uint64_t *out, struct report *r);

/* v as a generator of `type` for a buffer of this shape. The caller sets the stream. It
 * fails where the bounds make no sense at these sizes or do not fit the type. */
int values_gen(const struct value_spec *v, const struct test_case *t, enum dtype type,
               const struct extent *extent, bool negate, struct gen *out,
               struct report *r);

/* The shape that values_gen() needs for a parameter that has another's values. It is
 * `own`, or the other's shape where the elements depend on it. */
const struct extent *values_gen_shape(const struct value_spec *v,
                                      const struct extent *own,
                                      const struct extent *source);

/* The bounds of UNIFORM and INTEGERS at this test's sizes. */
int values_bounds(const struct value_spec *v, const struct test_case *t, double *lo,
                  double *hi, struct report *r);

/* Checks the arguments of a description that is made on the host for a buffer of `type`,
 * at this test's sizes (values_source.c). */
int values_check_made(const struct problem *p, const struct test_case *t, enum dtype type,
                      const struct value_spec *v, const struct extent *extent,
                      struct report *r);

/* 0 if `value` fits the type. An integer type takes whole numbers only. */
int values_fit(enum dtype type, double value, struct report *r);

#endif
