/*
 * Function bodies (PTX ISA 4.3.2, 6): declarations, labels and instructions.
 *
 * A label is local to the braces in which it stands. A use of it is noted with its
 * scope. When braces close, uses that name one of their labels get its instruction. The
 * other uses move outwards.
 */
#include "front.h"

#include <string.h>

/* --- labels -------------------------------------------------------------- */

void
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

/* Resolves the uses of the closing scope's labels. It must come before scope_pop. */
static void
close_labels(struct parser *p, bool function_ends)
{
    struct label_use **at = &p->uses;

    while (*at != NULL) {
        struct label_use *u = *at;
        struct symbol *y;

        if (u->scope < p->symbols.depth)
            break; /* the list is newest first, so uses of outer scopes follow */
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

/* Parses the dotted words after the opcode, types and modifiers, in their order. */
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

/* Numbers the operands in the order of the text. Returns the next number. */
static uint32_t
number_operand(struct ptx_operand *o, uint32_t place)
{
    o->place = place++;
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        place = number_operand(&o->list[i], place);
    return o->second != NULL ? number_operand(o->second, place) : place;
}

static void
parse_operands(struct parser *p, struct ptx_insn *in)
{
    struct ptx_operand list[PTX_MAX_OPERANDS] = {0}, extra;
    uint32_t place = 1;

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
        place = number_operand(&in->operands[i], place);
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

/* Is the next name a label? A label is followed by ':' but not by '::'. */
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
    memset(p->recent, 0, sizeof p->recent);
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
