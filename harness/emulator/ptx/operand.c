/* Operands of instructions (PTX ISA 6), and the declarations of the registers that they
 * name (5.1.1). */
#include "front.h"

#include <string.h>

enum {
    MAX_REGISTERS = 1 << 22,
    FUNCTION_DEPTH = 2, /* open scopes in a body: the module's and the function's */
};

/* --- registers ----------------------------------------------------------- */

/* .reg .type name [, name]... | .reg .type prefix<count>; */
void
parse_regs(struct parser *p)
{
    enum ptx_type type = PTX_TYPE_NONE;
    uint32_t vector = 1;

    while (p->tok.kind == TOKEN_DOT) {
        if (tok_is_dot(p, "v2") || tok_is_dot(p, "v4")) {
            vector = tok_is_dot(p, "v2") ? 2 : 4;
            lex_next(p);
            continue;
        }
        type = (enum ptx_type)language_find(p, SYMBOL_TYPE, p->tok.text, p->tok.len);
        if (type == PTX_TYPE_NONE)
            parse_fail(p, p->tok.line, "registers of type '.%.*s' are not supported",
                       (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
        lex_next(p);
    }
    if (type == PTX_b128) { /* two registers of 64 bits, the lower one first */
        type = PTX_b64;
        vector *= 2;
    }
    do {
        size_t len;
        const char *name = take_name(p, "a register's name", &len);
        struct symbol *y;
        uint64_t count = 1;

        if (accept(p, '<')) {
            count = expect_int(p, "a count of registers");
            expect(p, '>', "after a count of registers");
            y = symbol_add(p, SYMBOL_REGS, name, len);
        } else {
            y = symbol_add(p, SYMBOL_REG, name, len);
        }
        if (count > MAX_REGISTERS || p->func->reg_count + count * vector > MAX_REGISTERS)
            parse_fail(p, p->tok.line, "too many registers");
        y->type = type;
        y->vector = vector;
        y->first = p->func->reg_count;
        y->count = (uint32_t)count;
        p->func->reg_count += (uint32_t)count * vector;
    } while (accept(p, ','));
    expect(p, ';', "after registers");
}

/* Finds a register that a block within the function declares by exactly this name. It
 * hides one of the function's ranges: __syncthreads_or is "{ .reg .pred %p1; ... }"
 * beside %p<9>. */
static const struct symbol *
find_hiding_reg(struct parser *p, const char *name, size_t len)
{
    const struct symbol *y = NULL;

    if (p->symbols.depth > FUNCTION_DEPTH)
        y = symbol_find(p, name, len);
    return y != NULL && y->kind == SYMBOL_REG ? y : NULL;
}

/* The number of the vector element that ".x" or ".r" names, or -1 if it names none. */
static int
vector_element(const struct token *t)
{
    static const char letters[] = "xyzwrgba";
    const char *at = t->len == 1 ? strchr(letters, t->text[0]) : NULL;

    return at != NULL ? (int)(at - letters) % 4 : -1;
}

/* Makes the operand of the register with this number in a declaration. It is the
 * register alone, an element of a vector, the vector as a list of its elements, or a
 * part of a register (9.7.19: .b3, .h1, .b3210). */
static void
register_operand(struct parser *p, struct ptx_operand *o, const struct symbol *y,
                 uint32_t number)
{
    bool dotted = p->tok.kind == TOKEN_DOT && !p->tok.spaced;
    int element = dotted && y->vector > 1 ? vector_element(&p->tok) : -1;

    o->kind = PTX_OPERAND_REG;
    o->type = y->type;
    o->reg = y->first + number * y->vector;
    if (element >= 0 && (uint32_t)element < y->vector) {
        o->reg += (uint32_t)element;
        lex_next(p);
    } else if (y->vector > 1) {
        o->kind = PTX_OPERAND_LIST;
        o->count = y->vector;
        o->list = alloc(p, o->count * sizeof *o->list);
        for (uint32_t i = 0; i < o->count; i++)
            o->list[i] = (struct ptx_operand){
                .kind = PTX_OPERAND_REG, .type = y->type, .reg = o->reg + i};
    } else if (dotted) {
        o->selector = copy_text(p, p->tok.text, p->tok.len);
        lex_next(p);
    }
}

/* Finds the declaration %r<48> of %r12: the longest run of digits whose prefix is
 * declared. */
static bool
find_ranged_reg(struct parser *p, const char *name, size_t len, struct ptx_operand *o)
{
    const struct symbol *hiding = find_hiding_reg(p, name, len);
    uint64_t number = 0, scale = 1;

    for (size_t digits = 1; digits < len && digits <= 8; digits++) {
        char c = name[len - digits];
        struct symbol *y;

        if (c < '0' || c > '9')
            return false;
        number += scale * (uint64_t)(c - '0');
        scale *= 10;
        if (c == '0' && digits > 1 && number == number % (scale / 10) &&
            name[len - digits] == '0')
            continue; /* %r05 is another name than %r5 */
        y = symbol_find(p, name, len - digits);
        if (y != NULL && y->kind == SYMBOL_REGS && number < y->count) {
            if (hiding != NULL && hiding->scope >= y->scope)
                return false;
            register_operand(p, o, y, (uint32_t)number);
            return true;
        }
    }
    return false;
}

/* --- operands ------------------------------------------------------------ */

static void
parse_list(struct parser *p, struct ptx_operand *o, char close, int depth)
{
    struct ptx_operand list[64];

    if (depth > 3)
        parse_fail(p, p->tok.line, "operands are nested too deeply");
    o->kind = PTX_OPERAND_LIST;
    while (!tok_is(p, close)) {
        if (o->count == 64)
            parse_fail(p, p->tok.line, "a list of more than 64 operands");
        list[o->count] = (struct ptx_operand){0};
        parse_operand(p, &list[o->count], depth + 1);
        if (list[o->count].kind == PTX_OPERAND_LABEL)
            parse_fail(p, p->tok.line, "'%.60s' is not declared", list[o->count].name);
        o->count++;
        if (!accept(p, ','))
            break;
    }
    expect(p, close, "after a list of operands");
    o->list = alloc(p, o->count * sizeof *list);
    memcpy(o->list, list, o->count * sizeof *list);
}

static void
parse_symbol_operand(struct parser *p, struct ptx_operand *o, struct symbol *y)
{
    switch (y->kind) {
    case SYMBOL_REG:
        register_operand(p, o, y, 0);
        break;
    case SYMBOL_VAR:
        o->kind = PTX_OPERAND_VAR;
        o->var = y->var;
        break;
    case SYMBOL_FUNC:
        o->kind = PTX_OPERAND_FUNC;
        o->func = y->func;
        o->name = y->func->name;
        break;
    case SYMBOL_TABLE: {
        const uint32_t *table = (const uint32_t *)(const void *)y->table;

        o->kind = PTX_OPERAND_TABLE;
        o->count = table[0];
        o->table = table + 1;
        break;
    }
    case SYMBOL_PROTOTYPE:
        o->kind = PTX_OPERAND_NAME;
        break;
    default: /* labels are looked up when their scope ends; other names cannot stand here
              */
        o->kind = PTX_OPERAND_LABEL;
        break;
    }
}

/* Parses %laneid or %tid.x. The bare %tid is a vector whose fourth element is 0. */
static void
special_operand(struct parser *p, struct ptx_operand *o, const char *name, size_t len)
{
    char element[40];

    o->sreg = (enum ptx_sreg)language_find(p, SYMBOL_SREG, name, len);
    o->kind = PTX_OPERAND_SREG;
    o->name = name;
    if (o->sreg != PTX_SREG_NONE || len + 3 > sizeof element)
        return;
    memcpy(element, name, len);
    memcpy(element + len, ".x", 3);
    o->sreg = (enum ptx_sreg)language_find(p, SYMBOL_SREG, element, len + 2);
    if (o->sreg == PTX_SREG_NONE)
        return;
    o->kind = PTX_OPERAND_LIST;
    o->count = 4;
    o->list = alloc(p, o->count * sizeof *o->list);
    for (unsigned i = 0; i < 3; i++) /* .y and .z follow .x in the table */
        o->list[i] = (struct ptx_operand){
            .kind = PTX_OPERAND_SREG, .sreg = (enum ptx_sreg)(o->sreg + i), .name = name};
    o->list[3].kind = PTX_OPERAND_INT;
}

/* Parses a name: a register, special register, variable or function, or a label to be
 * found later. */
void
parse_name_operand(struct parser *p, struct ptx_operand *o)
{
    const char *name = p->tok.text;
    size_t len = p->tok.len;
    struct symbol *y;

    lex_next(p);
    if (len == 1 && name[0] == '_') {
        o->kind = PTX_OPERAND_SINK;
        return;
    }
    if (len == 7 &&
        memcmp(name, "WARP_SZ", len) == 0) { /* 4.5.1: the only name of this kind */
        o->kind = PTX_OPERAND_INT;
        o->bits = 32;
        return;
    }
    if (find_ranged_reg(p, name, len, o))
        return;
    y = symbol_find(p, name, len);
    if (y != NULL && y->kind != SYMBOL_REGS && y->kind != SYMBOL_LABEL) {
        parse_symbol_operand(p, o, y);
        return;
    }
    if (name[0] == '%') {
        if (p->tok.kind == TOKEN_DOT && !p->tok.spaced && p->tok.len == 1) {
            len = (size_t)(p->tok.text + 1 - name);
            lex_next(p);
        }
        special_operand(p, o, copy_text(p, name, len), len);
        return;
    }
    o->kind = PTX_OPERAND_LABEL;
    o->name = copy_text(p, name, len);
}

static void
parse_offset(struct parser *p, struct ptx_operand *o)
{
    while (tok_is(p, '+') || tok_is(p, '-')) {
        bool negative = tok_is(p, '-');
        uint64_t n;

        lex_next(p);
        negative ^= accept(p, '-');
        n = parse_constant_term(p, "an offset");
        o->offset = (int64_t)((uint64_t)o->offset + (negative ? 0 - n : n));
    }
}

static void
parse_number_operand(struct parser *p, struct ptx_operand *o, bool negative)
{
    o->bits = p->tok.bits;
    switch (p->tok.kind) {
    case TOKEN_F32:
        o->kind = PTX_OPERAND_F32;
        o->bits ^= negative ? 0x80000000u : 0;
        break;
    case TOKEN_F64:
        o->kind = PTX_OPERAND_F64;
        o->bits ^= negative ? (uint64_t)1 << 63 : 0;
        break;
    default:
        lex_next(p);
        o->kind = PTX_OPERAND_INT;
        o->bits = parse_constant_after(p, negative ? 0 - o->bits : o->bits);
        return;
    }
    lex_next(p);
}

/* operand = primary ["|" primary]; primary = "[" primary [+n] "]" | "{" list "}" | ... */
void
parse_operand(struct parser *p, struct ptx_operand *o, int depth)
{
    bool negative = false;

    if (accept(p, '[')) {
        parse_operand(p, o, depth + 1);
        parse_offset(p, o);
        o->is_address = true;
        while (
            accept(p, ',')) { /* a list of coordinates, as texture instructions have it */
            struct ptx_operand *coordinates = alloc(p, sizeof *coordinates);

            parse_operand(p, coordinates, depth + 1);
            o->second = coordinates;
        }
        expect(p, ']', "after an address");
        return;
    }
    if (accept(p, '{')) {
        parse_list(p, o, '}', depth);
        if (depth == 0 &&
            accept(p, '|')) { /* tex {...}|p, where p tells whether the texel is there */
            o->second = alloc(p, sizeof *o->second);
            parse_operand(p, o->second, 3);
        }
        return;
    }
    if (tok_is(p, '(') && p->insns[p->insn_count].op == PTX_OP_call) {
        lex_next(p);
        parse_list(p, o, ')', depth);
        return;
    }
    if (accept(p, '!')) {
        if (p->tok.kind != TOKEN_NAME) {
            o->kind = PTX_OPERAND_INT;
            o->bits = parse_constant_after(p, parse_constant_term(p, "a value") == 0);
            return;
        }
        o->negated = true;
    }
    if (accept(p, '-'))
        negative = true;
    if ((tok_is(p, '(') || tok_is(p, '~')) && !negative) {
        o->kind = PTX_OPERAND_INT;
        o->bits = parse_constant(p, "a value");
        return;
    }
    if (p->tok.kind == TOKEN_INT || p->tok.kind == TOKEN_F32 ||
        p->tok.kind == TOKEN_F64) {
        parse_number_operand(p, o, negative);
    } else if (p->tok.kind == TOKEN_NAME) {
        o->minus = negative;
        parse_name_operand(p, o);
        if (o->kind != PTX_OPERAND_REG || !o->is_address)
            parse_offset(p, o);
    } else {
        parse_fail(p, p->tok.line, "expected an operand, found '%.*s'",
                   (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
    }
    if (depth < 3 && accept(p, '|')) {
        o->second = alloc(p, sizeof *o->second);
        parse_operand(p, o->second, 3);
    }
}
