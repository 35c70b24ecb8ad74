/*
 * A recursive-descent parser that turns the text of an expression into a tree in the
 * problem's arena. It bounds the depth of the tree, so that no recursion over the tree
 * can exhaust the stack. A chain like a+a+a+... counts one level for each operator,
 * because its tree leans to the left.
 */
#include "problem/expr_tree.h"

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
    unsigned
        kinds; /* the kinds of expression that may use it: bits 1 << enum expr_kind */
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

/* 2^53: a double holds every whole number up to here. */
#define WHOLE_MAX 9007199254740992.0

struct parser {
    struct arena *arena;
    const char *text, *at;
    enum expr_kind kind;
    const struct expr_name *names;
    int name_count;
    int depth; /* how deep the parser's own recursion is */
    struct report *report;
};

static struct expr *parse_all(struct parser *p);

static int
parser_column(const struct parser *p)
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
parser_expected(struct parser *p, const char *what)
{
    skip_blanks(p);
    if (*p->at == '\0')
        report_fail(p->report, "\"%s\" ends where %s is expected", p->text, what);
    else
        report_fail(p->report, "\"%s\", column %d: %s is expected", p->text,
                    parser_column(p), what);
    return NULL;
}

static struct expr *
expr_node3(struct parser *p, enum op op, const struct expr *left,
           const struct expr *right, const struct expr *third)
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
expr_node(struct parser *p, enum op op, const struct expr *left, const struct expr *right)
{
    return expr_node3(p, op, left, right, NULL);
}

static struct expr *
expr_number(struct parser *p, double value)
{
    struct expr *e = expr_node(p, OP_NUMBER, NULL, NULL);

    if (e != NULL)
        e->value = value;
    return e;
}

static struct expr *
parser_number(struct parser *p)
{
    char *end;
    double value;
    int start = parser_column(p);

    /* strtod() also reads hexadecimal numbers, which a spec may not hold. */
    if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X'))
        return parser_expected(p, "a decimal number");
    value = strtod(p->at, &end);
    p->at = end;
    if (isalnum((unsigned char)*end) || *end == '_' || *end == '.')
        return parser_expected(p, "an operator");
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
    return expr_number(p, value);
}

/* The argument of random(), which means random(i): each element has a number of its
 * own. The last "i" among the names is the element's index, even where a scalar is
 * called i. */
static struct expr *
own_index(struct parser *p)
{
    for (int n = p->name_count - 1; n >= 0; n--) {
        struct expr *e;

        if (strcmp(p->names[n].name, "i") != 0)
            continue;
        e = expr_node(p, OP_NAME, NULL, NULL);
        if (e != NULL)
            e->index = p->names[n].index;
        return e;
    }
    return parser_expected(p, "an index");
}

/* A call: "(" argument { "," argument } ")". The function's name has been read. */
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
        return parser_expected(p, "\"(\"");
    for (int i = 0; i < count; i++) {
        if (i > 0 && !accept_char(p, ','))
            return parser_expected(p, i == 1 ? "\",\" and a second argument"
                                             : "\",\" and a third argument");
        skip_blanks(p);
        if (*p->at == ')' &&
            (FUNCTIONS[function].op == OP_RANDOM || FUNCTIONS[function].op == OP_NORMAL))
            argument[i] = own_index(p);
        else
            argument[i] = parse_all(p);
        if (argument[i] == NULL)
            return NULL;
    }
    if (!accept_char(p, ')')) {
        report_fail(p->report, "\"%s\", column %d: %s takes %d argument%s and a \")\"",
                    p->text, parser_column(p), name, count, count == 1 ? "" : "s");
        return NULL;
    }
    return expr_node3(p, FUNCTIONS[function].op, argument[0], argument[1], argument[2]);
}

/* A name that is known: a scalar, or a buffer with "[" flat index "]". */
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
            return parser_expected(p, "\"[\" and the index of an element");
        if ((at = parse_all(p)) == NULL)
            return NULL;
        if (!accept_char(p, ']'))
            return parser_expected(p, "\"]\"");
    }
    e = expr_node(p, n->buffer ? OP_ELEMENT : OP_NAME, at, NULL);
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
            return expr_number(p, CONSTANTS[c].value);
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
                   ? parser_number(p)
                   : parser_expected(p, "a number");
    p->depth++;
    if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        e = parse_name(p);
    } else if (accept_char(p, '(')) {
        e = parse_all(p);
        if (e != NULL && !accept_char(p, ')'))
            e = parser_expected(p, "\")\"");
    } else if (accept_char(p, '-')) {
        e = parse_factor(p);
        e = e != NULL ? expr_node(p, OP_NEGATE, e, NULL) : NULL;
    } else if (accept_char(p, '+')) {
        e = parse_factor(p);
    } else if (p->kind == EXPR_ELEMENT && *p->at == '!' && p->at[1] != '=') {
        p->at++;
        e = parse_factor(p);
        e = e != NULL ? expr_node(p, OP_NOT, e, NULL) : NULL;
    } else {
        e = parser_expected(p, "a number, a name or \"(\"");
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
        left = right != NULL ? expr_node(p, op, left, right) : NULL;
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
        left = right != NULL ? expr_node(p, op, left, right) : NULL;
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

/* sum [ comparison sum ]. The tree holds a > b as b < a. */
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
        return OPERATORS[i].swap ? expr_node(p, OPERATORS[i].op, right, left)
                                 : expr_node(p, OPERATORS[i].op, left, right);
    }
    return left;
}

static struct expr *
parse_conjunction(struct parser *p)
{
    struct expr *left = parse_comparison(p), *right;

    while (left != NULL && accept_text(p, "&&")) {
        right = parse_comparison(p);
        left = right != NULL ? expr_node(p, OP_AND, left, right) : NULL;
    }
    return left;
}

/* What may stand alone, between parentheses or as an argument: `all` of problem/expr.h in
 * an EXPR_ELEMENT, `sum` in the other kinds. */
static struct expr *
parse_all(struct parser *p)
{
    struct expr *left, *right;

    if (p->kind != EXPR_ELEMENT)
        return parse_sum(p);
    left = parse_conjunction(p);
    while (left != NULL && accept_text(p, "||")) {
        right = parse_conjunction(p);
        left = right != NULL ? expr_node(p, OP_OR, left, right) : NULL;
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
    e = parse_all(&p);
    if (e == NULL)
        return NULL;
    skip_blanks(&p);
    if (*p.at != '\0')
        return parser_expected(&p, "an operator");
    return e;
}

struct expr *
expr_constant(struct arena *a, double value)
{
    struct expr *e = arena_alloc(a, sizeof *e);

    *e = (struct expr){.op = OP_NUMBER, .depth = 1, .value = value};
    return e;
}
