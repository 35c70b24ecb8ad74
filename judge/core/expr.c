/*
 * Expressions of a spec: a recursive-descent parser that builds a tree in the problem's
 * arena, and two evaluations of that tree. The depth of the tree is bounded when it is
 * built, so that neither recursion can run away; a chain like a+a+a+... counts one level
 * for each operator, because its tree leans to the left.
 */
#include "core/expr.h"

#include "core/expr_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REALS ((1u << EXPR_REAL) | (1u << EXPR_ELEMENT))
#define ALL (REALS | (1u << EXPR_WHOLE))
#define ELEMENTS (1u << EXPR_ELEMENT)

static const struct {
    const char *name;
    enum op op;
    int arguments;
    unsigned kinds; /* where it may be used: bits 1 << enum expr_kind */
} FUNCTIONS[] = {
    {"min", OP_MIN, 2, ALL},
    {"max", OP_MAX, 2, ALL},
    {"ceil_div", OP_CEIL_DIV, 2, ALL},
    {"sqrt", OP_SQRT, 1, REALS},
    {"floor", OP_FLOOR, 1, ELEMENTS},
    {"ceil", OP_CEIL, 1, ELEMENTS},
    {"round", OP_ROUND, 1, ELEMENTS},
    {"abs", OP_ABS, 1, ELEMENTS},
    {"exp", OP_EXP, 1, ELEMENTS},
    {"log", OP_LOG, 1, ELEMENTS},
    {"sin", OP_SIN, 1, ELEMENTS},
    {"cos", OP_COS, 1, ELEMENTS},
    {"pow", OP_POW, 2, ELEMENTS},
    {"f16", OP_F16, 1, ELEMENTS},
    {"bf16", OP_BF16, 1, ELEMENTS},
    {"f32", OP_F32, 1, ELEMENTS},
    {"if", OP_IF, 3, ELEMENTS},
    {"random", OP_RANDOM, 1, ELEMENTS},
    {"normal", OP_NORMAL, 1, ELEMENTS},
};

#define WHOLE_MAX                                                                        \
    9007199254740992.0 /* 2^53: doubles hold every whole number up to here */

struct parser {
    struct arena *arena;
    const char *text, *at;
    enum expr_kind kind;
    const struct expr_name *names;
    int name_count;
    int depth; /* of the parser's own recursion */
    struct report *report;
};

static struct expr *parse_whole_of(struct parser *p);

/* --- parsing ------------------------------------------------------------------------ */

static int
column(const struct parser *p)
{
    return (int)(p->at - p->text) + 1;
}

static void
skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool
accept_char(struct parser *p, char c)
{
    skip_blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static struct expr *
expected(struct parser *p, const char *what)
{
    skip_blanks(p);
    if (*p->at == '\0')
        report_fail(p->report, "\"%s\" ends where %s is expected", p->text, what);
    else
        report_fail(p->report, "\"%s\", column %d: %s is expected", p->text, column(p),
                    what);
    return NULL;
}

static struct expr *
node3(struct parser *p, enum op op, const struct expr *left, const struct expr *right,
      const struct expr *third)
{
    const struct expr *const below[] = {left, right, third};
    struct expr *e;
    int depth = 1;

    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        if (below[i] != NULL && below[i]->depth >= depth)
            depth = below[i]->depth + 1;
    }
    if (depth > EXPR_DEPTH_MAX) {
        report_fail(p->report, "\"%s\" has more than %d operators inside one another",
                    p->text, EXPR_DEPTH_MAX);
        return NULL;
    }
    e = arena_alloc(p->arena, sizeof *e);
    *e = (struct expr){
        .op = op, .depth = depth, .left = left, .right = right, .third = third};
    return e;
}

static struct expr *
node(struct parser *p, enum op op, const struct expr *left, const struct expr *right)
{
    return node3(p, op, left, right, NULL);
}

static struct expr *
number(struct parser *p, double value)
{
    struct expr *e = node(p, OP_NUMBER, NULL, NULL);

    if (e != NULL)
        e->value = value;
    return e;
}

static struct expr *
parse_number(struct parser *p)
{
    char *end;
    double value;
    int start = column(p);

    /* strtod also reads hexadecimal, which a spec has no use for. */
    if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X'))
        return expected(p, "a decimal number");
    value = strtod(p->at, &end);
    p->at = end;
    if (isalnum((unsigned char)*end) || *end == '_' || *end == '.')
        return expected(p, "an operator");
    if (!isfinite(value)) {
        report_fail(p->report, "\"%s\", column %d: the number is too large", p->text,
                    start);
        return NULL;
    }
    if (p->kind == EXPR_WHOLE && (value != floor(value) || value > WHOLE_MAX)) {
        report_fail(p->report, "\"%s\", column %d: only whole numbers up to 2^53 here",
                    p->text, start);
        return NULL;
    }
    return number(p, value);
}

/* random() is random(i): a number of each element's own. The names' last "i" is the
 * element's index, whatever a scalar is called. */
static struct expr *
own_index(struct parser *p)
{
    for (int n = p->name_count - 1; n >= 0; n--) {
        struct expr *e;

        if (strcmp(p->names[n].name, "i") != 0)
            continue;
        e = node(p, OP_NAME, NULL, NULL);
        if (e != NULL)
            e->index = p->names[n].index;
        return e;
    }
    return expected(p, "an index");
}

/* function "(" argument { "," argument } ")", after its name. */
static struct expr *
parse_call(struct parser *p, size_t function)
{
    const char *name = FUNCTIONS[function].name;
    const int count = FUNCTIONS[function].arguments;
    const struct expr *argument[3] = {NULL, NULL, NULL};

    if ((FUNCTIONS[function].kinds & 1u << p->kind) == 0) {
        if (p->kind == EXPR_WHOLE && FUNCTIONS[function].op == OP_SQRT)
            report_fail(p->report, "\"%s\" uses sqrt, which makes no whole numbers",
                        p->text);
        else
            report_fail(p->report, "\"%s\" uses %s, which is for a \"formula\" only",
                        p->text, name);
        return NULL;
    }
    if (!accept_char(p, '('))
        return expected(p, "\"(\"");
    for (int i = 0; i < count; i++) {
        if (i > 0 && !accept_char(p, ','))
            return expected(p, i == 1 ? "\",\" and a second argument"
                                      : "\",\" and a third argument");
        skip_blanks(p);
        if (*p->at == ')' &&
            (FUNCTIONS[function].op == OP_RANDOM || FUNCTIONS[function].op == OP_NORMAL))
            argument[i] = own_index(p);
        else
            argument[i] = parse_whole_of(p);
        if (argument[i] == NULL)
            return NULL;
    }
    if (!accept_char(p, ')')) {
        report_fail(p->report, "\"%s\", column %d: %s takes %d argument%s and a \")\"",
                    p->text, column(p), name, count, count == 1 ? "" : "s");
        return NULL;
    }
    return node3(p, FUNCTIONS[function].op, argument[0], argument[1], argument[2]);
}

/* A scalar, or NAME "[" flat index "]" for a buffer. */
static struct expr *
parse_known_name(struct parser *p, const struct expr_name *n)
{
    const struct expr *at = NULL;
    struct expr *e;

    if (p->kind == EXPR_WHOLE && !n->whole) {
        report_fail(p->report, "\"%s\" uses %s, which is not a whole number", p->text,
                    n->name);
        return NULL;
    }
    if (n->buffer) {
        if (!accept_char(p, '['))
            return expected(p, "\"[\" and the index of an element");
        if ((at = parse_whole_of(p)) == NULL)
            return NULL;
        if (!accept_char(p, ']'))
            return expected(p, "\"]\"");
    }
    e = node(p, n->buffer ? OP_ELEMENT : OP_NAME, at, NULL);
    if (e != NULL)
        e->index = n->index;
    return e;
}

static bool
is_name(const char *name, const char *start, size_t len)
{
    return strlen(name) == len && memcmp(name, start, len) == 0;
}

static struct expr *
parse_name(struct parser *p)
{
    static const struct {
        const char *name;
        double value;
    } CONSTANTS[] = {{"inf", INFINITY}, {"nan", NAN}, {"pi", 3.14159265358979323846}};
    const char *start = p->at;
    size_t len;

    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    len = (size_t)(p->at - start);
    for (int i = 0; i < p->name_count; i++) {
        if (is_name(p->names[i].name, start, len))
            return parse_known_name(p, &p->names[i]);
    }
    for (size_t f = 0; f < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; f++) {
        if (is_name(FUNCTIONS[f].name, start, len))
            return parse_call(p, f);
    }
    for (size_t c = 0;
         p->kind == EXPR_ELEMENT && c < sizeof CONSTANTS / sizeof *CONSTANTS; c++) {
        if (is_name(CONSTANTS[c].name, start, len))
            return number(p, CONSTANTS[c].value);
    }
    if (p->kind == EXPR_ELEMENT)
        report_fail(
            p->report,
            "unknown name \"%.*s\": a formula knows the scalars, the other inputs "
            "as NAME[index], i, i0 to i5, value, inf, nan and pi",
            (int)len, start);
    else
        report_fail(p->report,
                    "unknown name \"%.*s\": only scalar parameters can be used here",
                    (int)len, start);
    return NULL;
}

static struct expr *
parse_factor(struct parser *p)
{
    struct expr *e;

    skip_blanks(p);
    if (p->depth >= EXPR_DEPTH_MAX) {
        report_fail(p->report, "\"%s\" has more than %d parentheses inside one another",
                    p->text, EXPR_DEPTH_MAX);
        return NULL;
    }
    if (isdigit((unsigned char)*p->at) || *p->at == '.')
        return isdigit((unsigned char)*p->at) || isdigit((unsigned char)p->at[1])
                   ? parse_number(p)
                   : expected(p, "a number");
    p->depth++;
    if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        e = parse_name(p);
    } else if (accept_char(p, '(')) {
        e = parse_whole_of(p);
        if (e != NULL && !accept_char(p, ')'))
            e = expected(p, "\")\"");
    } else if (accept_char(p, '-')) {
        e = parse_factor(p);
        e = e != NULL ? node(p, OP_NEGATE, e, NULL) : NULL;
    } else if (accept_char(p, '+')) {
        e = parse_factor(p);
    } else if (p->kind == EXPR_ELEMENT && *p->at == '!' && p->at[1] != '=') {
        p->at++;
        e = parse_factor(p);
        e = e != NULL ? node(p, OP_NOT, e, NULL) : NULL;
    } else {
        e = expected(p, "a number, a name or \"(\"");
    }
    p->depth--;
    return e;
}

static struct expr *
parse_product(struct parser *p)
{
    struct expr *left = parse_factor(p);

    while (left != NULL) {
        struct expr *right;
        enum op op;

        if (accept_char(p, '*'))
            op = OP_MULTIPLY;
        else if (accept_char(p, '/'))
            op = OP_DIVIDE;
        else if (accept_char(p, '%'))
            op = OP_REMAINDER;
        else
            break;
        right = parse_factor(p);
        left = right != NULL ? node(p, op, left, right) : NULL;
    }
    return left;
}

static struct expr *
parse_sum(struct parser *p)
{
    struct expr *left = parse_product(p);

    while (left != NULL) {
        struct expr *right;
        enum op op;

        if (accept_char(p, '+'))
            op = OP_ADD;
        else if (accept_char(p, '-'))
            op = OP_SUBTRACT;
        else
            break;
        right = parse_product(p);
        left = right != NULL ? node(p, op, left, right) : NULL;
    }
    return left;
}

static bool
accept_text(struct parser *p, const char *text)
{
    skip_blanks(p);
    if (strncmp(p->at, text, strlen(text)) != 0)
        return false;
    p->at += strlen(text);
    return true;
}

/* sum [ comparison sum ]; a > b is b < a. */
static struct expr *
parse_comparison(struct parser *p)
{
    static const struct {
        const char *text;
        enum op op;
        bool swap;
    } OPERATORS[] = {{"<=", OP_LESS_EQUAL, false}, {">=", OP_LESS_EQUAL, true},
                     {"==", OP_EQUAL, false},      {"!=", OP_UNEQUAL, false},
                     {"<", OP_LESS, false},        {">", OP_LESS, true}};
    struct expr *left = parse_sum(p), *right;

    for (size_t i = 0; left != NULL && i < sizeof OPERATORS / sizeof OPERATORS[0]; i++) {
        if (!accept_text(p, OPERATORS[i].text))
            continue;
        right = parse_sum(p);
        if (right == NULL)
            return NULL;
        return OPERATORS[i].swap ? node(p, OPERATORS[i].op, right, left)
                                 : node(p, OPERATORS[i].op, left, right);
    }
    return left;
}

static struct expr *
parse_conjunction(struct parser *p)
{
    struct expr *left = parse_comparison(p), *right;

    while (left != NULL && accept_text(p, "&&")) {
        right = parse_comparison(p);
        left = right != NULL ? node(p, OP_AND, left, right) : NULL;
    }
    return left;
}

/* All that may stand alone, between parentheses or as an argument. */
static struct expr *
parse_whole_of(struct parser *p)
{
    struct expr *left, *right;

    if (p->kind != EXPR_ELEMENT)
        return parse_sum(p);
    left = parse_conjunction(p);
    while (left != NULL && accept_text(p, "||")) {
        right = parse_conjunction(p);
        left = right != NULL ? node(p, OP_OR, left, right) : NULL;
    }
    return left;
}

struct expr *
expr_parse(struct arena *a, const char *text, enum expr_kind kind,
           const struct expr_name *names, int name_count, struct report *r)
{
    struct parser p = {.arena = a,
                       .text = text,
                       .at = text,
                       .kind = kind,
                       .names = names,
                       .name_count = name_count,
                       .report = r};
    struct expr *e;

    if (strlen(text) > EXPR_LENGTH_MAX) {
        report_fail(r, "the expression is longer than %d characters", EXPR_LENGTH_MAX);
        return NULL;
    }
    e = parse_whole_of(&p);
    if (e == NULL)
        return NULL;
    skip_blanks(&p);
    if (*p.at != '\0')
        return expected(&p, "an operator");
    return e;
}

struct expr *
expr_constant(struct arena *a, double value)
{
    struct expr *e = arena_alloc(a, sizeof *e);

    *e = (struct expr){.op = OP_NUMBER, .depth = 1, .value = value};
    return e;
}

/* --- evaluation --------------------------------------------------------------------- */

/* a / b rounded up. */
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
