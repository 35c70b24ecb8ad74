/*
 * Initialisers (PTX ISA 5.4.4): a value, or braces that are nested as the dimensions
 * are. A value may be an address (name, name+4, generic(name)+4), or one byte of an
 * address: 0xFF00(generic(name)).
 */
#include "front.h"

#include <string.h>

/* value = ['-'] number | mask '(' address ')' | address */
static void
parse_init_address(struct parser *p, struct ptx_init *i)
{
    size_t len;
    const char *name = take_name(p, "a value", &len);
    bool negative;

    if (len == 7 && memcmp(name, "generic", 7) == 0 && accept(p, '(')) {
        parse_init_address(p, i);
        expect(p, ')', "after generic(");
    } else {
        i->symbol = copy_text(p, name, len);
        i->unit = p->unit;
    }
    while (tok_is(p, '+') || tok_is(p, '-')) {
        uint64_t n;

        negative = tok_is(p, '-');
        lex_next(p);
        n = expect_int(p, "an offset");
        i->bits += negative ? 0 - n : n;
    }
}

static uint64_t
float_bits(uint64_t bits, enum token_kind kind, unsigned bytes)
{
    double d;
    float f;
    uint32_t u;

    if (kind == TOKEN_F64 && bytes == 4) {
        memcpy(&d, &bits, sizeof d);
        f = (float)d;
        memcpy(&u, &f, sizeof u);
        return u;
    }
    if (kind == TOKEN_F32 && bytes == 8) {
        u = (uint32_t)bits;
        memcpy(&f, &u, sizeof f);
        d = (double)f;
        memcpy(&bits, &d, sizeof d);
    }
    return bits;
}

static void
parse_init_value(struct parser *p, struct ptx_init *i)
{
    bool negative = accept(p, '-');
    enum token_kind kind = p->tok.kind;

    i->line = p->tok.line;
    i->mask = UINT64_MAX;
    if (tok_is(p, '(') || tok_is(p, '~')) {
        i->bits = parse_constant(p, "a value");
        i->bits = negative ? 0 - i->bits : i->bits;
        return;
    }
    if (kind != TOKEN_INT && kind != TOKEN_F32 && kind != TOKEN_F64) {
        parse_init_address(p, i);
        return;
    }
    i->bits = float_bits(p->tok.bits, kind, i->bytes);
    lex_next(p);
    if (kind == TOKEN_INT && accept(p, '(')) {
        i->mask = i->bits;
        i->bits = 0;
        parse_init_address(p, i);
        expect(p, ')', "after a masked address");
    } else if (kind == TOKEN_INT) {
        i->bits = parse_constant_after(p, negative ? 0 - i->bits : i->bits);
    } else if (negative) {
        i->bits ^= (uint64_t)1 << (8 * i->bytes - 1);
    }
}

struct init_state {
    struct ptx_var *var;
    struct ptx_init **tail;
    const uint64_t *dims;
    int dim_count;
    unsigned element_bytes;
};

/* Parses the values of one dimension, from this offset on, and returns the offset after
 * them. A row that is too short is not filled up: the next values follow immediately,
 * as ptxas has it. */
static uint64_t
parse_init_level(struct parser *p, struct init_state *s, int dim, uint64_t at)
{
    expect(p, '{', "before an initialiser");
    while (!tok_is(p, '}')) {
        if (tok_is(p, '{') && dim + 1 < s->dim_count) {
            at = parse_init_level(p, s, dim + 1, at);
        } else {
            struct ptx_init *i = alloc(p, sizeof *i);

            if (at + s->element_bytes > s->var->bytes)
                parse_fail(p, p->tok.line, "more values than '%s' has elements",
                           s->var->name);
            i->bytes = s->element_bytes;
            i->offset = at;
            parse_init_value(p, i);
            *s->tail = i;
            s->tail = &i->next;
            at += s->element_bytes;
        }
        if (!accept(p, ','))
            break;
    }
    expect(p, '}', "after an initialiser");
    return at;
}

void
parse_init(struct parser *p, struct ptx_var *v, const uint64_t *dims, int dim_count)
{
    struct init_state s = {.var = v,
                           .tail = &v->init,
                           .dims = dims,
                           .dim_count = dim_count,
                           .element_bytes = ptx_type_bytes(v->type)};

    if (s.element_bytes == 0 || s.element_bytes > 8)
        parse_fail(p, p->tok.line, "'%s' has an initialiser but no plain type", v->name);
    if (tok_is(p, '{')) {
        parse_init_level(p, &s, 0, 0);
        return;
    }
    if (v->bytes < s.element_bytes)
        parse_fail(p, p->tok.line, "'%s' has an initialiser but no size", v->name);
    v->init = alloc(p, sizeof *v->init);
    v->init->bytes = s.element_bytes;
    parse_init_value(p, v->init);
}
