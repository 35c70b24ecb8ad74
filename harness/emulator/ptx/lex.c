/*
 * Bytes to tokens (PTX ISA 4.1 to 4.5). The text may lack a final NUL, so every look
 * ahead is checked against the end. White space matters in one case only: a number
 * belongs to the "%r" or dotted word before it if there is no space between them.
 */
#include "front.h"

#include <stdlib.h>
#include <string.h>

static bool
is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
skip_comment(struct parser *p)
{
    struct lexer *l = &p->lex;
    int start = l->line;

    if (l->end - l->p < 2 || l->p[0] != '/')
        return false;
    if (l->p[1] == '/') {
        while (l->p < l->end && *l->p != '\n')
            l->p++;
        return true;
    }
    if (l->p[1] != '*')
        return false;
    for (l->p += 2; l->end - l->p >= 2; l->p++) {
        if (l->p[0] == '*' && l->p[1] == '/') {
            l->p += 2;
            return true;
        }
        l->line += *l->p == '\n';
    }
    parse_fail(p, start, "a comment is not closed");
}

static bool
skip_space(struct parser *p)
{
    struct lexer *l = &p->lex;
    const char *start = l->p;

    while (l->p < l->end) {
        if (*l->p == '\n')
            l->line++;
        if (*l->p == ' ' || (*l->p >= '\t' && *l->p <= '\r') || *l->p == '\0')
            l->p++;
        else if (!skip_comment(p))
            break;
    }
    return l->p != start;
}

static int
digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Reads digits of a base. The value wraps at 64 bits, as the ISA's constants do. */
static uint64_t
lex_digits(struct parser *p, int base, int max_digits)
{
    struct lexer *l = &p->lex;
    uint64_t value = 0;
    int digits = 0;

    while (l->p < l->end && digits < max_digits && digit_value(*l->p) < base) {
        value = value * (uint64_t)base + (uint64_t)digit_value(*l->p);
        l->p++;
        digits++;
    }
    if (digits == 0)
        parse_fail(p, l->line, "a number without digits");
    return value;
}

/* 4.5.2: a decimal floating-point constant is a double. */
static void
lex_decimal_float(struct parser *p, const char *start)
{
    char text[64];
    size_t len;
    char *end;
    double value;
    struct lexer *l = &p->lex;

    while (l->p < l->end &&
           (is_digit(*l->p) || *l->p == '.' || *l->p == 'e' || *l->p == 'E' ||
            ((*l->p == '+' || *l->p == '-') && (l->p[-1] == 'e' || l->p[-1] == 'E'))))
        l->p++;
    len = (size_t)(l->p - start);
    if (len >= sizeof text)
        parse_fail(p, l->line, "a number of %zu characters", len);
    memcpy(text, start, len);
    text[len] = '\0';
    value = strtod(text, &end);
    if (*end != '\0')
        parse_fail(p, l->line, "'%s' is not a number", text);
    p->tok.kind = TOKEN_F64;
    memcpy(&p->tok.bits, &value, sizeof value);
}

/* Reads a number (4.5.1 and 4.5.2). */
static void
lex_number(struct parser *p)
{
    struct lexer *l = &p->lex;
    const char *start = l->p;
    char second = l->end - l->p > 1 ? l->p[1] : '\0';

    p->tok.kind = TOKEN_INT;
    if (*l->p == '0' &&
        (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        bool is_double = second == 'd' || second == 'D';

        l->p += 2;
        p->tok.kind = is_double ? TOKEN_F64 : TOKEN_F32;
        p->tok.bits = lex_digits(p, 16, is_double ? 16 : 8);
        return;
    }
    if (*l->p == '0' && (second == 'x' || second == 'X')) {
        l->p += 2;
        p->tok.bits = lex_digits(p, 16, 16);
    } else if (*l->p == '0' && (second == 'b' || second == 'B')) {
        l->p += 2;
        p->tok.bits = lex_digits(p, 2, 64);
    } else {
        while (l->p < l->end && is_digit(*l->p))
            l->p++;
        if (l->p < l->end && (*l->p == '.' || *l->p == 'e' || *l->p == 'E')) {
            l->p = start;
            lex_decimal_float(p, start);
            return;
        }
        l->p = start;
        p->tok.bits = lex_digits(p, *start == '0' && is_digit(second) ? 8 : 10, 24);
    }
    if (l->p < l->end && *l->p == 'U')
        l->p++;
}

static void
lex_string(struct parser *p)
{
    struct lexer *l = &p->lex;

    p->tok.kind = TOKEN_STRING;
    p->tok.text = ++l->p;
    while (l->p < l->end && *l->p != '"' && *l->p != '\n')
        l->p++;
    if (l->p == l->end || *l->p != '"')
        parse_fail(p, l->line, "a string is not closed");
    p->tok.len = (size_t)(l->p++ - p->tok.text);
}

/* Reads .word, including the "::" in .shared::cta or .mbarrier::complete_tx::bytes. */
static void
lex_word(struct lexer *l, struct token *t)
{
    t->text = l->p;
    while (l->p < l->end) {
        if (is_name_char(*l->p) || *l->p == '%')
            l->p++;
        else if (t->kind == TOKEN_DOT && l->end - l->p > 2 && l->p[0] == ':' &&
                 l->p[1] == ':' && is_name_char(l->p[2]))
            l->p += 2;
        else
            break;
    }
    t->len = (size_t)(l->p - t->text);
}

void
lex_next(struct parser *p)
{
    struct lexer *l = &p->lex;

    p->tok = (struct token){.spaced = skip_space(p)};
    p->tok.line = l->line;
    p->tok.text = l->p;
    if (l->p == l->end)
        return;
    if (is_digit(*l->p)) {
        lex_number(p);
        p->tok.len = (size_t)(l->p - p->tok.text);
    } else if (is_name_char(*l->p) || *l->p == '%') {
        p->tok.kind = TOKEN_NAME;
        lex_word(l, &p->tok);
    } else if (*l->p == '.' && l->end - l->p > 1 && is_name_char(l->p[1])) {
        l->p++;
        p->tok.kind = TOKEN_DOT;
        lex_word(l, &p->tok);
    } else if (*l->p == '"') {
        lex_string(p);
    } else {
        p->tok.kind = TOKEN_PUNCT;
        p->tok.punct = *l->p++;
        p->tok.len = 1;
    }
}

bool
tok_is(const struct parser *p, char punct)
{
    return p->tok.kind == TOKEN_PUNCT && p->tok.punct == punct;
}

bool
tok_text_is(const struct token *t, const char *text)
{
    return strlen(text) == t->len && memcmp(t->text, text, t->len) == 0;
}

bool
tok_is_dot(const struct parser *p, const char *word)
{
    return p->tok.kind == TOKEN_DOT && tok_text_is(&p->tok, word);
}

bool
accept(struct parser *p, char punct)
{
    if (!tok_is(p, punct))
        return false;
    lex_next(p);
    return true;
}

void
expect(struct parser *p, char punct, const char *where)
{
    if (!accept(p, punct))
        parse_fail(p, p->tok.line, "expected '%c' %s, found '%.*s'", punct, where,
                   (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
}

uint64_t
expect_int(struct parser *p, const char *what)
{
    uint64_t bits = p->tok.bits;

    if (p->tok.kind != TOKEN_INT)
        parse_fail(p, p->tok.line, "expected %s, found '%.*s'", what,
                   (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
    lex_next(p);
    return bits;
}

const char *
take_name(struct parser *p, const char *what, size_t *len)
{
    const char *text = p->tok.text;

    if (p->tok.kind != TOKEN_NAME)
        parse_fail(p, p->tok.line, "expected %s, found '%.*s'", what,
                   (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
    *len = p->tok.len;
    lex_next(p);
    return text;
}
