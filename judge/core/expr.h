/*
 * Expressions over a problem's scalars, as a spec writes them: "(N + 31) / 32", "4*M*N".
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/" | "%") factor }
 *   factor  = number | name | ("-" | "+") factor | "(" sum ")"
 *           | ("min" | "max" | "ceil_div") "(" sum "," sum ")" | "sqrt" "(" sum ")"
 *
 * There are three kinds. EXPR_WHOLE is for shapes: 64-bit integers, every overflow is an
 * error, "/" rounds towards zero, names are whole-number scalars only, no sqrt. EXPR_REAL
 * is for bounds of values and for work: doubles, "/" divides exactly, ceil_div(a, b) is
 * the smallest whole number not below a/b, a result that is not finite is an error.
 * EXPR_ELEMENT gives one element of an input: doubles as IEEE 754 has them (infinities
 * and NaN are values), and besides the above
 *
 *   all     = and { "||" and }      and = compare { "&&" compare }
 *   compare = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
 *   factor  = ... | "!" factor | name "[" all "]" | function "(" all { "," all } ")"
 *
 * where all also stands for sum between parentheses; truth is 1 and 0.
 */
#ifndef CORE_EXPR_H
#define CORE_EXPR_H

#include "core/arena.h"
#include "core/report.h"

#include <stdbool.h>
#include <stdint.h>

#define EXPR_LENGTH_MAX 256 /* characters */
#define EXPR_DEPTH_MAX 64   /* operators and parentheses inside one another */

enum expr_kind { EXPR_WHOLE, EXPR_REAL, EXPR_ELEMENT };

/* A name that an expression may use. `index` is where its value lies in the array given
 * to the evaluation. */
struct expr_name {
    const char *name;
    int index;
    bool whole;  /* its type is an integer */
    bool buffer; /* EXPR_ELEMENT: NAME[index]; `index` above is what expr_scope gets */
};

struct expr;

/* NULL and a sentence with the column (from 1) where text is not an expression of this
 * kind. The result lies in the arena. */
struct expr *expr_parse(struct arena *a, const char *text, enum expr_kind kind,
                        const struct expr_name *names, int name_count, struct report *r);

/* The constant as an expression, for specs that write a bare number. */
struct expr *expr_constant(struct arena *a, double value);

/* Evaluates an EXPR_WHOLE; -1: overflow, division by zero. */
int expr_whole(const struct expr *e, const double *values, int64_t *out,
               struct report *r);

/* Evaluates an EXPR_REAL; -1: not finite, division by zero, root of a negative number. */
int expr_real(const struct expr *e, const double *values, double *out, struct report *r);

/* What an EXPR_ELEMENT is evaluated in. */
struct expr_scope {
    const double *values; /* of names, by their index */
    /* random(k) and normal(k): uniform over [0, 1), or mean 0 and deviation 1. The same k
     * is the same number. */
    double (*random)(void *context, uint64_t k);
    double (*normal)(void *context, uint64_t k);
    /* Element `at` of the buffer with this index. -1: there is none, reported. */
    int (*element)(void *context, int index, uint64_t at, double *out, struct report *r);
    void *context;
};

/* -1: an index that is no whole number or beyond its buffer. */
int expr_element(const struct expr *e, const struct expr_scope *scope, double *out,
                 struct report *r);

/* The same for up to EXPR_BATCH elements at once, with the same results. columns[i], for
 * i below column_count, holds a value of the name i for each; NULL: scope->values[i] for
 * all. -1: what expr_element says of an element that fails, which `*failed` names, was
 * reported. */
#define EXPR_BATCH 256
#define EXPR_NAMES_MAX 64  /* columns */
#define EXPR_COLUMNS_MAX 8 /* of them not NULL */
int expr_batch(const struct expr *e, const struct expr_scope *scope,
               const double *const *columns, int column_count, unsigned count,
               double *out, unsigned *failed, struct report *r);

/* Does the expression use the name with this index? */
bool expr_uses(const struct expr *e, int index);

/* Calls visit for each buffer that an EXPR_ELEMENT reads, as often as it is named. */
void expr_visit_buffers(const struct expr *e, void (*visit)(void *context, int index),
                        void *context);

#endif
