/*
 * Rewrites functions whose parameters are registers, and calls that pass registers and
 * constants (PTX ISA 7.1). exec/ knows only parameters in the .param space.
 *
 * A register parameter becomes a hidden .param variable. The function loads it at its
 * beginning, or stores it before it returns. Vectors are passed whole, and predicates as
 * words, which the ISA has and ptxas refuses. A register of a call becomes a hidden
 * .param variable of the caller, which stores it before the call or loads it
 * afterwards.
 */
#include "front.h"

#include <string.h>

/* What is passed: a base type, how many of it, and the bytes in memory. A predicate is a
 * word that is 0 or 1. A register of 128 bits is a pair of registers. */
struct passed {
    enum ptx_type type;
    uint32_t elements;
};

static struct passed
passed_as(enum ptx_type type, uint32_t elements)
{
    return type == PTX_b128 ? (struct passed){PTX_b64, elements * 2}
                            : (struct passed){type, elements};
}

static uint32_t
passed_bytes(struct passed x)
{
    return x.type == PTX_pred ? 4 : ptx_type_bytes(x.type) * x.elements;
}

/* Declares the register of a register parameter; it gets the parameter's name. */
void
declare_register_param(struct parser *p, struct ptx_var *v)
{
    struct symbol *y = symbol_add(p, SYMBOL_REG, v->name, strlen(v->name));
    struct passed x = passed_as(v->type, v->elements);

    if (x.type == PTX_pred && x.elements != 1)
        parse_fail(p, v->line, "the parameter '%.60s' is a vector of predicates",
                   v->name);
    y->type = x.type;
    y->vector = x.elements;
    y->count = 1;
    y->first = p->func->reg_count;
    p->func->reg_count += x.elements;
    v->space = PTX_SPACE_PARAM;
    v->type = x.type;
    v->elements = (uint8_t)x.elements;
    v->bytes = passed_bytes(x);
    v->align = passed_bytes(x);
    v->in_register = true;
    v->reg = y->first;
}

/* Begins an instruction of two operands or more, under the guard of `like` if it has one.
 */
static struct ptx_insn *
begin_insn(struct parser *p, enum ptx_op op, const char *text, enum ptx_type type,
           unsigned operands, const struct ptx_insn *like)
{
    struct ptx_insn *in = new_insn(p);

    in->op = op;
    in->text = text;
    in->types[in->type_count++] = (uint8_t)type;
    in->operands = alloc(p, operands * sizeof *in->operands);
    in->operand_count = (uint8_t)operands;
    if (like != NULL) {
        in->guarded = like->guarded;
        in->guard = like->guard;
        in->guard_negated = like->guard_negated;
        in->line = like->line;
    }
    return in;
}

/* Adds ld.param value, [v] or st.param [v], value. */
static void
emit_plain_access(struct parser *p, enum ptx_op op, const struct ptx_var *v,
                  enum ptx_type type, struct ptx_operand value,
                  const struct ptx_insn *like)
{
    struct ptx_insn *in =
        begin_insn(p, op, op == PTX_OP_ld ? "ld.param" : "st.param", type, 2, like);
    unsigned at = op == PTX_OP_ld ? 1 : 0;

    in->operands[at] =
        (struct ptx_operand){.kind = PTX_OPERAND_VAR, .var = v, .is_address = true};
    in->operands[1 - at] = value;
    in->mods[in->mod_count++] = PTX_MOD_param;
    if (value.kind == PTX_OPERAND_LIST)
        in->mods[in->mod_count++] = value.count == 2   ? PTX_MOD_v2
                                    : value.count == 4 ? PTX_MOD_v4
                                                       : PTX_MOD_v8;
    p->insn_count++;
}

static struct ptx_operand
number(uint64_t bits)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_INT, .bits = bits};
}

/* Adds what loads a register from a variable, or stores it there. */
static void
emit_access(struct parser *p, enum ptx_op op, const struct ptx_var *v,
            struct ptx_operand value, const struct ptx_insn *like)
{
    struct ptx_operand word = {.kind = PTX_OPERAND_REG, .type = PTX_u32};
    struct ptx_insn *in;

    if (v->type != PTX_pred) {
        emit_plain_access(p, op, v, v->type, value, like);
        return;
    }
    word.reg = p->func->reg_count++;
    if (op == PTX_OP_ld) {
        emit_plain_access(p, op, v, PTX_u32, word, like);
        in = begin_insn(p, PTX_OP_setp, "setp.ne.u32", PTX_u32, 3, like);
        in->mods[in->mod_count++] = PTX_MOD_ne;
        in->operands[0] = value;
        in->operands[1] = word;
        in->operands[2] = number(0);
        p->insn_count++;
        return;
    }
    in = begin_insn(p, PTX_OP_selp, "selp.u32", PTX_u32, 4, like);
    in->operands[0] = word;
    in->operands[1] = number(1);
    in->operands[2] = number(0);
    in->operands[3] = value;
    p->insn_count++;
    emit_plain_access(p, op, v, PTX_u32, word, like);
}

/* The register of a parameter, or the list of its vector's elements. */
static struct ptx_operand
register_of(struct parser *p, const struct ptx_var *v)
{
    struct ptx_operand o = {.kind = PTX_OPERAND_REG, .type = v->type, .reg = v->reg};
    struct ptx_operand list = {.kind = PTX_OPERAND_LIST, .count = v->elements};

    if (v->elements == 1)
        return o;
    list.list = alloc(p, list.count * sizeof *list.list);
    for (uint32_t i = 0; i < list.count; i++) {
        list.list[i] = o;
        list.list[i].reg += i;
    }
    return list;
}

void
load_register_params(struct parser *p, const struct ptx_func *f)
{
    for (struct ptx_var *v = f->params; v != NULL; v = v->next)
        if (v->in_register)
            emit_access(p, PTX_OP_ld, v, register_of(p, v), NULL);
}

void
store_register_results(struct parser *p, const struct ptx_func *f,
                       const struct ptx_insn *ret)
{
    for (struct ptx_var *v = f->returns; v != NULL; v = v->next)
        if (v->in_register)
            emit_access(p, PTX_OP_st, v, register_of(p, v), ret);
}

/* --- calls --------------------------------------------------------------- */

/* Adds a .param variable of the caller that has no name. */
static const struct ptx_var *
hidden_param(struct parser *p, struct passed x, int line)
{
    struct ptx_var *v = alloc(p, sizeof *v);

    *v = (struct ptx_var){.name = "",
                          .space = PTX_SPACE_PARAM,
                          .type = x.type,
                          .elements = (uint8_t)x.elements,
                          .bytes = passed_bytes(x),
                          .align = passed_bytes(x),
                          .owner = p->func,
                          .index = p->func->var_count++,
                          .next = p->hidden,
                          .line = line};
    p->hidden = v;
    return v;
}

/* The type of a call's operand: its register's, or what the callee declares. */
static struct passed
passed_type(const struct ptx_operand *o, const struct ptx_var *formal)
{
    struct passed none = {PTX_TYPE_NONE, 0};

    switch (o->kind) {
    case PTX_OPERAND_REG:
        return (struct passed){o->type, 1};
    case PTX_OPERAND_INT:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        return formal != NULL ? (struct passed){formal->type, 1} : none;
    case PTX_OPERAND_LIST: /* a vector */
        for (uint32_t i = 0; i < o->count; i++)
            if (o->list[i].kind != PTX_OPERAND_REG ||
                o->list[i].type != o->list[0].type || o->list[0].type == PTX_pred)
                return none;
        return o->count == 2 || o->count == 4 || o->count == 8
                   ? (struct passed){o->list[0].type, o->count}
                   : none;
    default:
        return none;
    }
}

/* Puts variables in place of a list's registers and constants. values[i] keeps what
 * stood at position i; NONE means that nothing was replaced there. */
static void
hide_list(struct parser *p, struct ptx_operand *list, const struct ptx_var *formal,
          struct ptx_operand *values, int line)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct passed x = passed_type(&list->list[i], formal);

        values[i].kind = PTX_OPERAND_NONE;
        if (passed_bytes(x) != 0 && ptx_type_bytes(x.type) <= 8) {
            values[i] = list->list[i];
            list->list[i] = (struct ptx_operand){.kind = PTX_OPERAND_VAR,
                                                 .var = hidden_param(p, x, line)};
        }
        formal = formal != NULL ? formal->next : NULL;
    }
}

/* Surrounds the call that was just parsed, but not yet counted, with its loads and
 * stores. */
void
finish_call(struct parser *p)
{
    struct ptx_insn call = p->insns[p->insn_count];
    struct ptx_operand values[2][64], *o = call.operands, *lists[2] = {NULL, NULL};
    const struct ptx_func *callee = NULL;

    /* The operands are: call [(results),] target [, (arguments)] ... */
    for (unsigned i = 0; i < call.operand_count; i++) {
        if (o[i].kind == PTX_OPERAND_LIST)
            lists[i == 0 ? 0 : 1] = &o[i];
        else if (o[i].kind == PTX_OPERAND_FUNC && callee == NULL)
            callee = o[i].func;
    }
    if (lists[0] != NULL)
        hide_list(p, lists[0], callee != NULL ? callee->returns : NULL, values[0],
                  call.line);
    if (lists[1] != NULL)
        hide_list(p, lists[1], callee != NULL ? callee->params : NULL, values[1],
                  call.line);
    for (uint32_t i = 0; lists[1] != NULL && i < lists[1]->count; i++)
        if (values[1][i].kind != PTX_OPERAND_NONE)
            emit_access(p, PTX_OP_st, lists[1]->list[i].var, values[1][i], &call);
    *new_insn(p) = call;
    p->insn_count++;
    for (uint32_t i = 0; lists[0] != NULL && i < lists[0]->count; i++)
        if (values[0][i].kind != PTX_OPERAND_NONE)
            emit_access(p, PTX_OP_ld, lists[0]->list[i].var, values[0][i], &call);
}
