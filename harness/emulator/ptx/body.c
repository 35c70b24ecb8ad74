/*
 * Function bodies (PTX ISA 4.3.2, 6): declarations, labels, instructions and their
 * operands.
 *
 * Labels are local to the braces they stand in. A use is noted with its scope; when
 * braces close, the uses that name a label of theirs get its instruction and the rest
 * move outwards.
 */
#include "front.h"

#include <string.h>

/* --- registers ----------------------------------------------------------- */

enum {
    MAX_REGISTERS = 1 << 22,
    FUNCTION_DEPTH = 2, /* scopes open in a body: the module's and the function's */
};

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

/* A register that a block within the function declares by this very name: it hides one of
 * the function's ranges (__syncthreads_or is "{ .reg .pred %p1; ... }" next to %p<9>). */
static const struct symbol *
find_hiding_reg(struct parser *p, const char *name, size_t len)
{
    const struct symbol *y = NULL;

    if (p->symbols.depth > FUNCTION_DEPTH)
        y = symbol_find(p, name, len);
    return y != NULL && y->kind == SYMBOL_REG ? y : NULL;
}

/* Which element of a vector ".x" or ".r" names; -1: none. */
static int
vector_element(const struct token *t)
{
    static const char letters[] = "xyzwrgba";
    const char *at = t->len == 1 ? strchr(letters, t->text[0]) : NULL;

    return at != NULL ? (int)(at - letters) % 4 : -1;
}

/* The register of that number of a declaration: alone, an element of a vector, or the
 * vector as a list of its elements; or a part of a register (9.7.19: .b3, .h1, .b3210).
 */
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

/* %r12 of a declaration %r<48>: the longest run of digits that has a prefix declared. */
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
            continue; /* %r05 is not %r5 */
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

/* --- labels -------------------------------------------------------------- */

static void
use_label(struct parser *p, const char *name, size_t len, int line, uint32_t *slot)
{
    struct label_use *u = alloc(p, sizeof *u);

    *u = (struct label_use){.next = p->uses,
                            .name = name,
                            .len = len,
                            .scope = p->symbols.depth,
                            .line = line,
                            .slot = slot};
    p->uses = u;
}

/* Resolves what the closing scope's labels resolve; must precede scope_pop. */
static void
close_labels(struct parser *p, bool function_ends)
{
    struct label_use **at = &p->uses;

    while (*at != NULL) {
        struct label_use *u = *at;
        struct symbol *y;

        if (u->scope < p->symbols.depth)
            break; /* uses of an outer scope come after: the list is newest first */
        y = symbol_find(p, u->name, u->len);
        if (y != NULL && y->kind == SYMBOL_LABEL &&
            (y->scope == p->symbols.depth - 1 || function_ends)) {
            *u->slot = y->first;
            *at = u->next;
            continue;
        }
        if (function_ends)
            parse_fail(p, u->line, "label '%.*s' is not defined",
                       (int)(u->len < 80 ? u->len : 80), u->name);
        u->scope = p->symbols.depth - 1;
        at = &u->next;
    }
}

/* name: .branchtargets L1, L2; | name: .callprototype ...; | name: .calltargets ...; */
static bool
parse_labelled_directive(struct parser *p, const char *name, size_t len)
{
    if (tok_is_dot(p, "branchtargets")) {
        struct symbol *y = symbol_add(p, SYMBOL_TABLE, name, len);
        struct {
            const char *name;
            size_t len;
        } targets[4096];
        uint32_t count = 0;
        uint32_t *table;

        lex_next(p);
        do {
            if (count == 4096)
                parse_fail(p, p->tok.line, "more than 4096 branch targets");
            targets[count].name = take_name(p, "a label", &targets[count].len);
            count++;
        } while (accept(p, ','));
        expect(p, ';', "after .branchtargets");
        table = alloc(p, (count + 1) * sizeof *table);
        table[0] = count;
        for (uint32_t i = 0; i < count; i++)
            use_label(p, targets[i].name, targets[i].len, p->tok.line, &table[i + 1]);
        y->table = (struct label_use *)(void *)table;
        return true;
    }
    if (tok_is_dot(p, "callprototype") || tok_is_dot(p, "calltargets")) {
        symbol_add(p, SYMBOL_PROTOTYPE, name, len);
        skip_to_semicolon(p);
        return true;
    }
    return false;
}

/* --- operands ------------------------------------------------------------ */

static void parse_operand(struct parser *p, struct ptx_operand *o, int depth);

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
    default: /* labels are looked up when their scope ends; the rest can't be named here
              */
        o->kind = PTX_OPERAND_LABEL;
        break;
    }
}

/* %laneid, %tid.x; %tid is the vector of its elements, the fourth of which is 0. */
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

/* A name: register, special register, variable, function, or a label to be found later.
 */
static void
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
    if (len == 7 && memcmp(name, "WARP_SZ", len) == 0) { /* 4.5.1: the one such name */
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
static void
parse_operand(struct parser *p, struct ptx_operand *o, int depth)
{
    bool negative = false;

    if (accept(p, '[')) {
        parse_operand(p, o, depth + 1);
        parse_offset(p, o);
        o->is_address = true;
        while (accept(p, ',')) { /* texture coordinates and the like */
            struct ptx_operand *coordinates = alloc(p, sizeof *coordinates);

            parse_operand(p, coordinates, depth + 1);
            o->second = coordinates;
        }
        expect(p, ']', "after an address");
        return;
    }
    if (accept(p, '{')) {
        parse_list(p, o, '}', depth);
        if (depth == 0 && accept(p, '|')) { /* tex {...}|p: is the texel there? */
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

/* --- instructions -------------------------------------------------------- */

struct ptx_insn *
new_insn(struct parser *p)
{
    if (p->insn_count == p->insn_max) {
        uint32_t max = p->insn_max != 0 ? p->insn_max * 2 : 1024;
        struct ptx_insn *insns;

        if (max > 1u << 24)
            parse_fail(p, p->tok.line, "a function of more than 16 million instructions");
        insns = alloc(p, max * sizeof *insns);
        if (p->insn_count > 0)
            memcpy(insns, p->insns, p->insn_count * sizeof *insns);
        p->insns = insns;
        p->insn_max = max;
    }
    p->insns[p->insn_count] = (struct ptx_insn){.line = p->tok.line, .loc = p->loc};
    return &p->insns[p->insn_count];
}

/* The dotted words after the opcode: types and modifiers, in their order. */
static void
parse_suffixes(struct parser *p, struct ptx_insn *in, const char *start)
{
    const char *end = start;

    while (p->tok.kind == TOKEN_DOT) {
        uint32_t id = language_find(p, SYMBOL_TYPE, p->tok.text, p->tok.len);

        if (id != 0) {
            if (in->type_count < PTX_MAX_TYPES)
                in->types[in->type_count++] = (uint8_t)id;
            else
                in->too_long = true;
        } else {
            id = language_find(p, SYMBOL_MOD, p->tok.text, p->tok.len);
            if (in->mod_count < PTX_MAX_MODS)
                in->mods[in->mod_count++] = (uint16_t)id;
            else
                in->too_long = true;
        }
        end = p->tok.text + p->tok.len;
        lex_next(p);
    }
    in->text =
        copy_text(p, start, (size_t)(end - start) < 120 ? (size_t)(end - start) : 120);
}

static void
parse_operands(struct parser *p, struct ptx_insn *in)
{
    struct ptx_operand list[PTX_MAX_OPERANDS] = {0}, extra;

    while (!tok_is(p, ';')) {
        struct ptx_operand *o = &extra;

        if (in->operand_count < PTX_MAX_OPERANDS)
            o = &list[in->operand_count++];
        else
            in->too_long = true;
        *o = (struct ptx_operand){0};
        parse_operand(p, o, 0);
        if (!accept(p, ','))
            break;
    }
    expect(p, ';', "after an instruction");
    in->operands = alloc(p, in->operand_count * sizeof *list);
    memcpy(in->operands, list, in->operand_count * sizeof *list);
    for (unsigned i = 0; i < in->operand_count; i++)
        if (list[i].kind == PTX_OPERAND_LABEL)
            use_label(p, list[i].name, strlen(list[i].name), in->line,
                      &in->operands[i].label);
}

/* @p or @!p */
static void
parse_guard(struct parser *p, struct ptx_insn *in)
{
    struct ptx_operand o = {0};

    if (accept(p, '!'))
        in->guard_negated = true;
    if (p->tok.kind == TOKEN_NAME)
        parse_name_operand(p, &o);
    if (o.kind != PTX_OPERAND_REG || o.type != PTX_pred)
        parse_fail(p, p->tok.line, "expected a predicate register after '@'");
    in->guarded = true;
    in->guard = o.reg;
}

static void
parse_insn(struct parser *p)
{
    struct ptx_insn *in = new_insn(p);
    const char *name;
    size_t len;

    if (accept(p, '@'))
        parse_guard(p, in);
    in->line = p->tok.line;
    name = take_name(p, "an instruction", &len);
    in->op = (enum ptx_op)language_find(p, SYMBOL_OP, name, len);
    if (p->tok.kind == TOKEN_DOT) {
        parse_suffixes(p, in, name);
    } else {
        in->text = copy_text(p, name, len < 120 ? len : 120);
    }
    parse_operands(p, in);
    if (in->op == PTX_OP_ret) {
        struct ptx_insn ret = *in;

        store_register_results(p, p->func, &ret);
        *new_insn(p) = ret;
    } else if (in->op == PTX_OP_call) {
        finish_call(p);
        return;
    }
    p->insn_count++;
}

/* Is the name just ahead a label? A name, then ':' and not '::'. */
static bool
parse_label(struct parser *p)
{
    struct lexer saved = p->lex;
    struct token name = p->tok;

    if (name.kind != TOKEN_NAME)
        return false;
    lex_next(p);
    if (!tok_is(p, ':')) {
        p->lex = saved;
        p->tok = name;
        return false;
    }
    lex_next(p);
    if (!parse_labelled_directive(p, name.text, name.len))
        symbol_add(p, SYMBOL_LABEL, name.text, name.len)->first = p->insn_count;
    return true;
}

static void
parse_statement(struct parser *p, struct ptx_var ***tail)
{
    enum ptx_space space;

    if (tok_is_dot(p, "loc")) {
        parse_loc(p);
    } else if (tok_is_dot(p, "file")) {
        parse_file(p);
    } else if (tok_is_dot(p, "pragma")) {
        skip_to_semicolon(p);
    } else if (tok_is_dot(p, "section")) {
        skip_section(p);
    } else if (p->tok.kind == TOKEN_DOT) {
        if (!parse_space(p, &space))
            parse_fail(p, p->tok.line, "'.%.*s' is not a statement",
                       (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
        if (space == PTX_SPACE_REG)
            parse_regs(p);
        else
            parse_vars(p, space, false, tail, &p->func->var_count);
    } else if (!accept(p, ';') && !parse_label(p)) {
        parse_insn(p);
    }
}

void
parse_body(struct parser *p, struct ptx_func *f)
{
    struct ptx_var **tail = &f->vars;
    int depth = 1;

    p->insn_count = 0;
    p->uses = NULL;
    p->hidden = NULL;
    p->loc = NULL;
    load_register_params(p, f);
    while (depth > 0) {
        if (p->tok.kind == TOKEN_END)
            parse_fail(p, p->tok.line, "the text ends within function '%.60s'", f->name);
        if (accept(p, '{')) {
            scope_push(p);
            depth++;
        } else if (tok_is(p, '}')) {
            close_labels(p, depth == 1);
            if (--depth > 0)
                scope_pop(p);
            lex_next(p);
        } else {
            parse_statement(p, &tail);
        }
    }
    store_register_results(p, f, NULL);
    *tail = p->hidden;
    f->insns = alloc(p, (p->insn_count + 1) * sizeof *f->insns);
    if (p->insn_count > 0)
        memcpy(f->insns, p->insns, p->insn_count * sizeof *f->insns);
    f->insn_count = p->insn_count;
}
