/*
 * Evaluates a formula for many elements at once. Each operation is a loop over a batch
 * that stays in the first-level cache, so that walking the tree costs little beside the
 * arithmetic.
 *
 * "if", "&&" and "||" evaluate each side only for the elements that need it, gathered
 * into a smaller batch. expr_element() does the same one by one. A side may therefore
 * read beyond a buffer for elements that do not choose it.
 */
#include "problem/expr_tree.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#pragma GCC optimize("O3")

struct batch {
    const struct expr_scope *scope;
    const double *const *columns;
    int column_count;
    unsigned count;
};

static int expr_batch_evaluate(const struct batch *b, const struct expr *e, double *out,
                               unsigned *failed, struct report *r);

static void
expr_batch_fill(double *out, unsigned count, double value)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = value;
}

/* fmod(), with a fast way for the operands that are usual in formulas. */
static double
remainder_of(double a, double b)
{
    if (a >= 0 && a < 4294967296.0 && b >= 1 && b < 4294967296.0) {
        const uint32_t x = (uint32_t)a, y = (uint32_t)b;

        if ((double)x == a && (double)y == b)
            return x % y;
    }
    return fmod(a, b);
}

/* The operations for which the compiler makes vector code; the others are computed one by
 * one. */
static void
binary_all(enum op op, unsigned count, double *restrict a, const double *restrict b)
{
#define LOOP(value)                                                                      \
    for (unsigned i = 0; i < count; i++)                                                 \
        a[i] = (value);                                                                  \
    break
    switch (op) {
    case OP_ADD:
        LOOP(a[i] + b[i]);
    case OP_SUBTRACT:
        LOOP(a[i] - b[i]);
    case OP_MULTIPLY:
        LOOP(a[i] * b[i]);
    case OP_DIVIDE:
        LOOP(a[i] / b[i]);
    case OP_LESS:
        LOOP(a[i] < b[i] ? 1 : 0);
    case OP_LESS_EQUAL:
        LOOP(a[i] <= b[i] ? 1 : 0);
    case OP_EQUAL:
        LOOP(a[i] == b[i] ? 1 : 0);
    case OP_REMAINDER:
        LOOP(remainder_of(a[i], b[i]));
    default:
        LOOP(expr_binary(op, a[i], b[i]));
    }
#undef LOOP
}

/* Evaluates an indexed operation for all elements. Neighbours often have the same index,
 * as in random(i0); the value is then looked up once. */
static int
indexed_all(const struct batch *b, const struct expr *e, double *out, unsigned *failed,
            struct report *r)
{
    double at = NAN, value = 0;

    for (unsigned i = 0; i < b->count; i++) {
        if (out[i] != at && expr_indexed(e, b->scope, out[i], &value, r) != 0) {
            *failed = i;
            return -1;
        }
        at = out[i];
        out[i] = value;
    }
    return 0;
}

/* Evaluates e for the elements at these places, and writes to the same places of out. */
static int
evaluate_some(const struct batch *b, const struct expr *e, const unsigned *places,
              unsigned count, double *out, unsigned *failed, struct report *r)
{
    double gathered[EXPR_COLUMNS_MAX][EXPR_BATCH], some[EXPR_BATCH];
    const double *columns[EXPR_NAMES_MAX] = {NULL};
    const struct batch part = {b->scope, columns, b->column_count, count};
    int used = 0;

    if (count == 0)
        return 0;
    for (int c = 0; c < b->column_count; c++) {
        if (b->columns[c] == NULL)
            continue;
        for (unsigned i = 0; i < count; i++)
            gathered[used][i] = b->columns[c][places[i]];
        columns[c] = gathered[used++];
    }
    if (expr_batch_evaluate(&part, e, some, failed, r) != 0) {
        *failed = places[*failed];
        return -1;
    }
    for (unsigned i = 0; i < count; i++)
        out[places[i]] = some[i];
    return 0;
}

/* Evaluates "if", "&&" and "||". Where elements of both sides fail, one of the first side
 * is reported. */
static int
expr_batch_choose(const struct batch *b, const struct expr *e, double *out,
                  unsigned *failed, struct report *r)
{
    const struct expr *yes = e->op == OP_IF || e->op == OP_AND ? e->right : NULL;
    const struct expr *no = e->op == OP_IF ? e->third : e->op == OP_OR ? e->right : NULL;
    unsigned where[2][EXPR_BATCH] = {{0}}, many[2] = {0, 0};

    if (expr_batch_evaluate(b, e->left, out, failed, r) != 0)
        return -1;
    for (unsigned i = 0; i < b->count; i++) {
        const int side = out[i] != 0;

        where[side][many[side]++] = i;
        out[i] = side;
    }
    if ((yes != NULL && evaluate_some(b, yes, where[1], many[1], out, failed, r) != 0) ||
        (no != NULL && evaluate_some(b, no, where[0], many[0], out, failed, r) != 0))
        return -1;
    for (unsigned i = 0; e->op != OP_IF && i < b->count; i++)
        out[i] = out[i] != 0;
    return 0;
}

static int
expr_batch_evaluate(const struct batch *b, const struct expr *e, double *out,
                    unsigned *failed, struct report *r)
{
    double right[EXPR_BATCH];

    switch (e->op) {
    case OP_NUMBER:
        expr_batch_fill(out, b->count, e->value);
        return 0;
    case OP_NAME:
        if (e->index < b->column_count && b->columns[e->index] != NULL)
            memcpy(out, b->columns[e->index], b->count * sizeof *out);
        else
            expr_batch_fill(out, b->count, b->scope->values[e->index]);
        return 0;
    case OP_IF:
    case OP_AND:
    case OP_OR:
        return expr_batch_choose(b, e, out, failed, r);
    default:
        break;
    }
    if (expr_batch_evaluate(b, e->left, out, failed, r) != 0)
        return -1;
    if (e->op == OP_RANDOM || e->op == OP_NORMAL || e->op == OP_ELEMENT)
        return indexed_all(b, e, out, failed, r);
    if (e->right == NULL) {
        for (unsigned i = 0; i < b->count; i++)
            out[i] = expr_unary(e->op, out[i]);
        return 0;
    }
    if (expr_batch_evaluate(b, e->right, right, failed, r) != 0)
        return -1;
    binary_all(e->op, b->count, out, right);
    return 0;
}

int
expr_batch(const struct expr *e, const struct expr_scope *scope,
           const double *const *columns, int column_count, unsigned count, double *out,
           unsigned *failed, struct report *r)
{
    const struct batch b = {scope, columns, column_count, count};

    return expr_batch_evaluate(&b, e, out, failed, r);
}
