/* Evaluates expressions at a test's sizes: EXPR_WHOLE in integers, EXPR_REAL in
 * doubles. */
#include "problem/expr_tree.h"

#include <math.h>

/* a / b, rounded up. */
static int
ceil_div(int64_t a, int64_t b, int64_t *out, struct report *r)
{
    if (b == 0)
        return report_fail(r, "division by zero");
    if (a == INT64_MIN && b == -1)
        return report_fail(r, "the value does not fit 64 bits");
    *out = a / b + (a % b != 0 && (a < 0) == (b < 0));
    return 0;
}

static int
whole_binary(enum op op, int64_t a, int64_t b, int64_t *out, struct report *r)
{
    bool overflow = false;

    if (b == 0 && (op == OP_DIVIDE || op == OP_REMAINDER))
        return report_fail(r, "division by zero");
    switch (op) {
    case OP_ADD:
        overflow = __builtin_add_overflow(a, b, out);
        break;
    case OP_SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, out);
        break;
    case OP_MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, out);
        break;
    case OP_DIVIDE:
        overflow = a == INT64_MIN && b == -1;
        if (!overflow)
            *out = a / b;
        break;
    case OP_REMAINDER:
        *out = b == -1 ? 0 : a % b;
        break;
    case OP_MIN:
        *out = a < b ? a : b;
        break;
    case OP_MAX:
        *out = a > b ? a : b;
        break;
    default:
        return ceil_div(a, b, out, r);
    }
    return overflow ? report_fail(r, "the value does not fit 64 bits") : 0;
}

int
expr_whole(const struct expr *e, const double *values, int64_t *out, struct report *r)
{
    int64_t a = 0, b = 0;

    switch (e->op) {
    case OP_NUMBER:
        *out = (int64_t)e->value;
        return 0;
    case OP_NAME:
        *out = (int64_t)values[e->index];
        return 0;
    case OP_NEGATE:
        if (expr_whole(e->left, values, &a, r) != 0)
            return -1;
        return whole_binary(OP_SUBTRACT, 0, a, out, r);
    default:
        if (expr_whole(e->left, values, &a, r) != 0 ||
            expr_whole(e->right, values, &b, r) != 0)
            return -1;
        return whole_binary(e->op, a, b, out, r);
    }
}

static int
real_binary(enum op op, double a, double b, double *out, struct report *r)
{
    if (b == 0 && (op == OP_DIVIDE || op == OP_REMAINDER || op == OP_CEIL_DIV))
        return report_fail(r, "division by zero");
    switch (op) {
    case OP_ADD:
        *out = a + b;
        break;
    case OP_SUBTRACT:
        *out = a - b;
        break;
    case OP_MULTIPLY:
        *out = a * b;
        break;
    case OP_DIVIDE:
        *out = a / b;
        break;
    case OP_REMAINDER:
        *out = fmod(a, b);
        break;
    case OP_MIN:
        *out = a < b ? a : b;
        break;
    case OP_MAX:
        *out = a > b ? a : b;
        break;
    default:
        *out = ceil(a / b);
        break;
    }
    return isfinite(*out) ? 0 : report_fail(r, "the value is too large for a double");
}

int
expr_real(const struct expr *e, const double *values, double *out, struct report *r)
{
    double a = 0, b = 0, result = 0;

    switch (e->op) {
    case OP_NUMBER:
        *out = e->value;
        return 0;
    case OP_NAME:
        *out = values[e->index];
        return 0;
    case OP_NEGATE:
    case OP_SQRT:
        if (expr_real(e->left, values, &a, r) != 0)
            return -1;
        if (e->op == OP_SQRT && a < 0)
            return report_fail(r, "the square root of a negative number");
        *out = e->op == OP_SQRT ? sqrt(a) : -a;
        return 0;
    default:
        if (expr_real(e->left, values, &a, r) != 0 ||
            expr_real(e->right, values, &b, r) != 0 ||
            real_binary(e->op, a, b, &result, r) != 0)
            return -1;
        *out = result;
        return 0;
    }
}
