/*
 * Expressions over a problem's scalars, as a spec writes them: "(N + 31) / 32", "4*M*N".
 *
 *     sum     = product { ("+" | "-") product }
 *     product = factor { ("*" | "/" | "%") factor }
 *     factor  = number | name | ("-" | "+") factor | "(" sum ")"
 *             | ("min" | "max" | "ceil_div") "(" sum "," sum ")" | "sqrt" "(" sum ")"
 *
 * There are three kinds.
 *
 * EXPR_WHOLE is for shapes. It computes in 64-bit integers, and every overflow is an
 * error.
 * "/" rounds towards zero. Names are whole-number scalars only, and there is no sqrt.
 *
 * EXPR_REAL is for bounds of values and for work. It computes in doubles, and a result
 * that is not finite is an error. "/" divides exactly. ceil_div(a, b) is the smallest
 * whole number not below a/b.
 *
 * EXPR_ELEMENT gives one element of an input. It computes in doubles, in which infinities
 * and NaN are values. It has these rules besides:
 *
 *     all     = and { "||" and }      and = compare { "&&" compare }
 *     compare = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
 *     factor  = ... | "!" factor | name "[" all "]" | function "(" all { "," all } ")"
 *
 * In this kind `all` may also stand where a rule above has `sum` between parentheses.
 * True is 1 and false is 0.
 */
#ifndef PROBLEM_EXPR_H
#define PROBLEM_EXPR_H

#include "base/arena.h"
#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

#define EXPR_LENGTH_MAX 256 /* characters */
#define EXPR_DEPTH_MAX 64   /* operators and parentheses that are nested */

enum expr_kind { EXPR_WHOLE, EXPR_REAL, EXPR_ELEMENT };

/* A name that an expression may use. `index` is where its value lies in the array given
 * to the evaluation. */
struct expr_name {
    const char *name;
    int index;
    bool whole;  /* its type is an integer */
    bool buffer; /* EXPR_ELEMENT: it is read as NAME[...], by expr_scope's element() */
};

struct expr;

/* The tree of an expression, which lies in the arena. NULL and a sentence with the column
 * (from 1) where the text is no expression of this kind. */
struct expr *expr_parse(struct arena *a, const char *text, enum expr_kind kind,
                        const struct expr_name *names, int name_count, struct report *r);

/* A number as an expression, for specs that write a bare number. */
struct expr *expr_constant(struct arena *a, double value);

/* Evaluates an EXPR_WHOLE. -1 for an overflow and for a division by zero. */
int expr_whole(const struct expr *e, const double *values, int64_t *out,
               struct report *r);

/* Evaluates an EXPR_REAL. -1 for a result that is not finite, a division by zero and the
 * square root of a negative number. */
int expr_real(const struct expr *e, const double *values, double *out, struct report *r);

/* What an EXPR_ELEMENT reads while it is evaluated. */
struct expr_scope {
    const double *values; /* the values of names, by their index */
    /* random(k) is uniform over [0, 1); normal(k) has mean 0 and deviation 1. The same k
     * gives the same number. */
    double (*random)(void *context, uint64_t k);
    double (*normal)(void *context, uint64_t k);
    /* Element `at` of the buffer with this index. -1 and a report where there is none. */
    int (*element)(void *context, int index, uint64_t at, double *out, struct report *r);
    void *context;
};

/* Evaluates an EXPR_ELEMENT. -1 for an index that is no whole number or is beyond its
 * buffer. */
int expr_element(const struct expr *e, const struct expr_scope *scope, double *out,
                 struct report *r);

/* Evaluates an EXPR_ELEMENT for up to EXPR_BATCH elements, with the results that
 * expr_element() gives. columns[i], for i below column_count, holds the values of the
 * name i, one for each element. Where it is NULL, scope->values[i] is the value for all.
 * -1 where an element fails: *failed says which, and the report what expr_element() says
 * of it. */
#define EXPR_BATCH 256
#define EXPR_NAMES_MAX 64  /* column_count is at most this */
#define EXPR_COLUMNS_MAX 8 /* and so many columns are not NULL */
int expr_batch(const struct expr *e, const struct expr_scope *scope,
               const double *const *columns, int column_count, unsigned count,
               double *out, unsigned *failed, struct report *r);

/* Does the expression use the name with this index? */
bool expr_uses(const struct expr *e, int index);

/* Calls visit() for each buffer that an EXPR_ELEMENT reads, as often as it names it. */
void expr_visit_buffers(const struct expr *e, void (*visit)(void *context, int index),
                        void *context);

#endif
