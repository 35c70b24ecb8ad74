/* The tree of an expression, which expr.c builds and evaluates for a test's sizes,
 * expr_element.c and expr_batch.c for the elements of a buffer. Private to them. */
#ifndef CORE_EXPR_IMPL_H
#define CORE_EXPR_IMPL_H

#include "core/expr.h"

enum op {
    OP_NUMBER,
    OP_NAME,
    OP_NEGATE,
    OP_SQRT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_MIN,
    OP_MAX,
    OP_CEIL_DIV,
    /* EXPR_ELEMENT only: */
    OP_FLOOR,
    OP_CEIL,
    OP_ROUND,
    OP_ABS,
    OP_EXP,
    OP_LOG,
    OP_SIN,
    OP_COS,
    OP_POW,
    OP_F16,
    OP_BF16,
    OP_F32,
    OP_IF,
    OP_NOT,
    OP_AND,
    OP_OR,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_RANDOM,
    OP_NORMAL,
    OP_ELEMENT, /* of the buffer `index`, at left */
};

struct expr {
    enum op op;
    int depth;
    int index;    /* OP_NAME, OP_ELEMENT */
    double value; /* OP_NUMBER; whole in an EXPR_WHOLE, at most 2^53 */
    const struct expr *left, *right, *third;
};

/* expr_element.c: one operation on values that are there. */
double expr_unary(enum op op, double a);
double expr_binary(enum op op, double a, double b);

/* random(at), normal(at) or NAME[at]. */
int expr_indexed(const struct expr *e, const struct expr_scope *scope, double at,
                 double *out, struct report *r);

#endif
