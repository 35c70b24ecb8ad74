/* Evaluates an EXPR_ELEMENT: the value that a "formula" gives to one element of an
 * input. */
#include "numbers/gen_fn.h"
#include "problem/expr_tree.h"

#include <math.h>
#include <stddef.h>

/* The index k of random(k), normal(k) or NAME[k]: a whole number, not negative. */
static int
as_index(double value, uint64_t *out, struct report *r)
{
    if (!(value >= 0 && value <= 9007199254740992.0) || value != floor(value))
        return report_fail(r, "the index %.17g is no whole number from 0 on", value);
    *out = (uint64_t)value;
    return 0;
}

double
expr_unary(enum op op, double a)
{
    switch (op) {
    case OP_NEGATE:
        return -a;
    case OP_SQRT:
        return sqrt(a);
    case OP_FLOOR:
        return floor(a);
    case OP_CEIL:
        return ceil(a);
    case OP_ROUND:
        return rint(a); /* rounds halves to even */
    case OP_ABS:
        return fabs(a);
    case OP_EXP:
        return exp(a);
    case OP_LOG:
        return log(a);
    case OP_SIN:
        return sin(a);
    case OP_COS:
        return cos(a);
    case OP_F16:
        return gen_widen(gen_narrow(a, 5, 10), 5, 10);
    case OP_BF16:
        return gen_widen(gen_narrow(a, 8, 7), 8, 7);
    case OP_F32:
        return (double)(float)a;
    default: /* OP_NOT */
        return a == 0;
    }
}

double
expr_binary(enum op op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return a / b;
    case OP_REMAINDER:
        return fmod(a, b);
    case OP_MIN:
        return a < b ? a : b;
    case OP_MAX:
        return a > b ? a : b;
    case OP_CEIL_DIV:
        return ceil(a / b);
    case OP_POW:
        return pow(a, b);
    case OP_LESS:
        return a < b;
    case OP_LESS_EQUAL:
        return a <= b;
    case OP_EQUAL:
        return a == b;
    default: /* OP_UNEQUAL */
        return a != b;
    }
}

int
expr_indexed(const struct expr *e, const struct expr_scope *scope, double at, double *out,
             struct report *r)
{
    uint64_t index = 0;

    if (as_index(at, &index, r) != 0)
        return -1;
    if (e->op == OP_ELEMENT)
        return scope->element(scope->context, e->index, index, out, r);
    *out = e->op == OP_RANDOM ? scope->random(scope->context, index)
                              : scope->normal(scope->context, index);
    return 0;
}

/* Only the side that is chosen is evaluated: "if(i > 0, A[i - 1], 0)" never reads
 * A[-1]. */
static int
expr_element_choice(const struct expr *e, const struct expr_scope *scope, double *out,
                    struct report *r)
{
    double a = 0, b = 0;

    if (expr_element(e->left, scope, &a, r) != 0)
        return -1;
    if (e->op == OP_IF)
        return expr_element(a != 0 ? e->right : e->third, scope, out, r);
    if ((a != 0) == (e->op == OP_OR)) {
        *out = a != 0;
        return 0;
    }
    if (expr_element(e->right, scope, &b, r) != 0)
        return -1;
    *out = b != 0;
    return 0;
}

int
expr_element(const struct expr *e, const struct expr_scope *scope, double *out,
             struct report *r)
{
    double a = 0, b = 0;

    switch (e->op) {
    case OP_NUMBER:
        *out = e->value;
        return 0;
    case OP_NAME:
        *out = scope->values[e->index];
        return 0;
    case OP_RANDOM:
    case OP_NORMAL:
    case OP_ELEMENT:
        if (expr_element(e->left, scope, &a, r) != 0)
            return -1;
        return expr_indexed(e, scope, a, out, r);
    case OP_IF:
    case OP_AND:
    case OP_OR:
        return expr_element_choice(e, scope, out, r);
    default:
        if (expr_element(e->left, scope, &a, r) != 0 ||
            (e->right != NULL && expr_element(e->right, scope, &b, r) != 0))
            return -1;
        *out = e->right != NULL ? expr_binary(e->op, a, b) : expr_unary(e->op, a);
        return 0;
    }
}

void
expr_visit_buffers(const struct expr *e, void (*visit)(void *context, int index),
                   void *context)
{
    if (e == NULL)
        return;
    if (e->op == OP_ELEMENT)
        visit(context, e->index);
    expr_visit_buffers(e->left, visit, context);
    expr_visit_buffers(e->right, visit, context);
    expr_visit_buffers(e->third, visit, context);
}

bool
expr_uses(const struct expr *e, int index)
{
    if (e == NULL)
        return false;
    return (e->op == OP_NAME && e->index == index) || expr_uses(e->left, index) ||
           expr_uses(e->right, index) || expr_uses(e->third, index);
}
