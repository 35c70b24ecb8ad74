/*
 * Constant expressions (PTX ISA 4.5.5): 64-bit integers, the operators of C with C's
 * precedences, and the casts (.s64) and (.u64). An operation is unsigned if one of its
 * operands is. A literal is signed unless it ends in U or has bit 63 set.
 */
#include "front.h"

struct constant_value {
    uint64_t bits;
    bool is_unsigned;
};

enum { LOWEST = 1, MULTIPLICATIVE = 10, MAX_DEPTH = 64 };

static struct constant_value
parse_constant_level(struct parser *p, struct constant_value left, int lowest, int depth);
static struct constant_value parse_constant_unary(struct parser *p, const char *what,
                                                  int depth);

/* --- operators ----------------------------------------------------------- */

/* Two-character operators have one-letter names, by which constant_apply() knows them. */
static const struct {
    char first, second, name;
    int8_t precedence;
} operators[] = {
    {'|', '|', 'O', 1}, {'&', '&', 'A', 2}, {'|', 0, '|', 3},   {'^', 0, '^', 4},
    {'&', 0, '&', 5},   {'=', '=', '=', 6}, {'!', '=', '!', 6}, {'<', '<', 'L', 8},
    {'>', '>', 'R', 8}, {'<', '=', 'l', 7}, {'>', '=', 'g', 7}, {'<', 0, '<', 7},
    {'>', 0, '>', 7},   {'+', 0, '+', 9},   {'-', 0, '-', 9},   {'*', 0, '*', 10},
    {'/', 0, '/', 10},
};

/* The precedence of the operator that comes next, or 0 if there is none. The lexer has
 * taken only the first character of a two-character operator. */
static int
operator_here(const struct parser *p, char *name, bool *is_double)
{
    const struct lexer *l = &p->lex;
    char next = l->p < l->end ? *l->p : '\0';

    if (p->tok.kind == TOKEN_NAME && tok_text_is(&p->tok, "%")) {
        *name = '%';
        *is_double = false;
        return MULTIPLICATIVE;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!tok_is(p, operators[i].first) ||
            (operators[i].second != '\0' && operators[i].second != next))
            continue;
        *name = operators[i].name;
        *is_double = operators[i].second != '\0';
        return operators[i].precedence;
    }
    return 0;
}

static bool
constant_less(struct constant_value a, struct constant_value b)
{
    return a.is_unsigned || b.is_unsigned ? a.bits < b.bits
                                          : (int64_t)a.bits < (int64_t)b.bits;
}

static uint64_t
constant_divide(struct parser *p, struct constant_value a, struct constant_value b,
                bool rest)
{
    if (b.bits == 0)
        parse_fail(p, p->tok.line, "a constant is divided by zero");
    if (a.is_unsigned || b.is_unsigned)
        return rest ? a.bits % b.bits : a.bits / b.bits;
    if (b.bits == UINT64_MAX) /* -1: the lowest number has no opposite */
        return rest ? 0 : 0 - a.bits;
    return (uint64_t)(rest ? (int64_t)a.bits % (int64_t)b.bits
                           : (int64_t)a.bits / (int64_t)b.bits);
}

static struct constant_value
constant_apply(struct parser *p, char name, struct constant_value a,
               struct constant_value b)
{
    struct constant_value r = {.is_unsigned = a.is_unsigned || b.is_unsigned};

    switch (name) {
    case 'O':
        return (struct constant_value){a.bits != 0 || b.bits != 0, false};
    case 'A':
        return (struct constant_value){a.bits != 0 && b.bits != 0, false};
    case '=':
        return (struct constant_value){a.bits == b.bits, false};
    case '!':
        return (struct constant_value){a.bits != b.bits, false};
    case '<':
        return (struct constant_value){constant_less(a, b), false};
    case '>':
        return (struct constant_value){constant_less(b, a), false};
    case 'l':
        return (struct constant_value){!constant_less(b, a), false};
    case 'g':
        return (struct constant_value){!constant_less(a, b), false};
    case 'L':
        return (struct constant_value){a.bits << (b.bits & 63), a.is_unsigned};
    case 'R':
        return (struct constant_value){a.is_unsigned
                                           ? a.bits >> (b.bits & 63)
                                           : (uint64_t)((int64_t)a.bits >> (b.bits & 63)),
                                       a.is_unsigned};
    case '|':
        r.bits = a.bits | b.bits;
        return r;
    case '^':
        r.bits = a.bits ^ b.bits;
        return r;
    case '&':
        r.bits = a.bits & b.bits;
        return r;
    case '+':
        r.bits = a.bits + b.bits;
        return r;
    case '-':
        r.bits = a.bits - b.bits;
        return r;
    case '*':
        r.bits = a.bits * b.bits;
        return r;
    default:
        r.bits = constant_divide(p, a, b, name == '%');
        return r;
    }
}

/* --- expressions --------------------------------------------------------- */

/* Parses (expression), or a cast of what follows. */
static struct constant_value
parse_constant_parenthesis(struct parser *p, int depth)
{
    struct constant_value v;

    if (tok_is_dot(p, "s64") || tok_is_dot(p, "u64")) {
        bool is_unsigned = tok_is_dot(p, "u64");

        lex_next(p);
        expect(p, ')', "after a cast");
        v = parse_constant_unary(p, "a value", depth + 1);
        v.is_unsigned = is_unsigned;
        return v;
    }
    v = parse_constant_level(p, parse_constant_unary(p, "a value", depth + 1), LOWEST,
                             depth + 1);
    expect(p, ')', "after a constant expression");
    return v;
}

static struct constant_value
parse_constant_unary(struct parser *p, const char *what, int depth)
{
    struct constant_value v;

    if (depth > MAX_DEPTH)
        parse_fail(p, p->tok.line, "a constant expression is nested too deeply");
    if (accept(p, '-')) {
        v = parse_constant_unary(p, what, depth + 1);
        v.bits = 0 - v.bits;
    } else if (accept(p, '+')) {
        v = parse_constant_unary(p, what, depth + 1);
    } else if (accept(p, '~')) {
        v = parse_constant_unary(p, what, depth + 1);
        v.bits = ~v.bits;
    } else if (accept(p, '!')) {
        v = parse_constant_unary(p, what, depth + 1);
        v = (struct constant_value){v.bits == 0, false};
    } else if (accept(p, '(')) {
        v = parse_constant_parenthesis(p, depth);
    } else {
        v.bits = expect_int(p, what);
        v.is_unsigned = v.bits >> 63 != 0;
    }
    return v;
}

/* Parses operators of this precedence and above. "?:" ranks below all. */
static struct constant_value
parse_constant_level(struct parser *p, struct constant_value left, int lowest, int depth)
{
    char name = '\0';
    bool is_double = false;
    int precedence;

    while ((precedence = operator_here(p, &name, &is_double)) >= lowest) {
        struct constant_value right;

        lex_next(p);
        if (is_double)
            lex_next(p);
        right = parse_constant_unary(p, "a value", depth + 1);
        right = parse_constant_level(p, right, precedence + 1, depth + 1);
        left = constant_apply(p, name, left, right);
    }
    if (lowest == LOWEST && accept(p, '?')) {
        struct constant_value yes, no;

        yes = parse_constant_level(p, parse_constant_unary(p, "a value", depth + 1),
                                   LOWEST, depth + 1);
        expect(p, ':', "within ?:");
        no = parse_constant_level(p, parse_constant_unary(p, "a value", depth + 1),
                                  LOWEST, depth + 1);
        left = left.bits != 0 ? yes : no;
    }
    return left;
}

uint64_t
parse_constant_after(struct parser *p, uint64_t left)
{
    return parse_constant_level(p, (struct constant_value){left, left >> 63 != 0}, LOWEST,
                                0)
        .bits;
}

uint64_t
parse_constant(struct parser *p, const char *what)
{
    return parse_constant_level(p, parse_constant_unary(p, what, 0), LOWEST, 0).bits;
}

uint64_t
parse_constant_term(struct parser *p, const char *what)
{
    return parse_constant_level(p, parse_constant_unary(p, what, 0), MULTIPLICATIVE, 0)
        .bits;
}
