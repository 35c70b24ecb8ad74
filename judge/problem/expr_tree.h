/* The tree of an expression, private to expr*.c. expr_parse.c builds it. expr_sizes.c
 * evaluates it for a test's sizes, expr_element.c and expr_batch.c for the elements of a
 * buffer. */
#ifndef PROBLEM_EXPR_TREE_H
#define PROBLEM_EXPR_TREE_H

#include "problem/expr.h"

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
    OP_ELEMENT, /* the element of the buffer `index` whose place `left` gives */
};

struct expr {
    enum op op;
    int depth;
    int index;    /* OP_NAME, OP_ELEMENT */
    double value; /* OP_NUMBER; in an EXPR_WHOLE it is whole and at most 2^53 */
    const struct expr *left, *right, *third;
};

/* One operation on operands that are known (expr_element.c). */
double expr_unary(enum op op, double a);
double expr_binary(enum op op, double a, double b);

/* The value of random(at), normal(at) or NAME[at]. */
int expr_indexed(const struct expr *e, const struct expr_scope *scope, double at,
                 double *out, struct report *r);

#endif
