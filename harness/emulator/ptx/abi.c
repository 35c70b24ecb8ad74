/*
 * Rewrites functions whose parameters are registers, and calls that pass registers and
 * constants (PTX ISA 7.1). exec/ knows only parameters in the .param space.
 *
 * A register parameter becomes a hidden .param variable. The function loads it at its
 * beginning, or stores it before it returns. A register of a call becomes a hidden
 * .param variable of the caller, which stores it before the call or loads it
 * afterwards.
 */
#include "front.h"

#include <string.h>

/* Declares the register of a register parameter; it gets the parameter's name. */
void
declare_register_param(struct parser *p, struct ptx_var *v)
{
    struct symbol *y = symbol_add(p, SYMBOL_REG, v->name, strlen(v->name));

    y->type = v->type;
    y->vector = 1;
    y->count = 1;
    y->first = p->func->reg_count++;
    v->space = PTX_SPACE_PARAM;
    v->in_register = true;
    v->reg = y->first;
}

/* Adds ld.param reg, [v] or st.param [v], value, under the guard of `like` if it has
 * one. */
static void
emit_access(struct parser *p, enum ptx_op op, struct ptx_var *v, struct ptx_operand value,
            const struct ptx_insn *like)
{
    struct ptx_insn *in = new_insn(p);
    struct ptx_operand *o = alloc(p, 2 * sizeof *o);
    unsigned at = op == PTX_OP_ld ? 1 : 0;

    o[at] = (struct ptx_operand){.kind = PTX_OPERAND_VAR, .var = v, .is_address = true};
    o[1 - at] = value;
    in->op = op;
    in->mods[in->mod_count++] = PTX_MOD_param;
    in->types[in->type_count++] = (uint8_t)v->type;
    in->operands = o;
    in->operand_count = 2;
    in->text = op == PTX_OP_ld ? "ld.param" : "st.param";
    if (like != NULL) {
        in->guarded = like->guarded;
        in->guard = like->guard;
        in->guard_negated = like->guard_negated;
        in->line = like->line;
    }
    p->insn_count++;
}

static struct ptx_operand
register_of(const struct ptx_var *v)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .type = v->type, .reg = v->reg};
}

void
load_register_params(struct parser *p, const struct ptx_func *f)
{
    for (struct ptx_var *v = f->params; v != NULL; v = v->next)
        if (v->in_register)
            emit_access(p, PTX_OP_ld, v, register_of(v), NULL);
}

void
store_register_results(struct parser *p, const struct ptx_func *f,
                       const struct ptx_insn *ret)
{
    for (struct ptx_var *v = f->returns; v != NULL; v = v->next)
        if (v->in_register)
            emit_access(p, PTX_OP_st, v, register_of(v), ret);
}

/* --- calls --------------------------------------------------------------- */

/* Adds a .param variable of the caller that has no name. */
static struct ptx_var *
hidden_param(struct parser *p, enum ptx_type type, int line)
{
    struct ptx_var *v = alloc(p, sizeof *v);

    *v = (struct ptx_var){.name = "",
                          .space = PTX_SPACE_PARAM,
                          .type = type,
                          .bytes = ptx_type_bytes(type),
                          .align = ptx_type_bytes(type),
                          .owner = p->func,
                          .index = p->func->var_count++,
                          .next = p->hidden,
                          .line = line};
    p->hidden = v;
    return v;
}

/* The type of a call's operand: its register's, or what the callee declares. */
static enum ptx_type
passed_type(const struct ptx_operand *o, const struct ptx_var *formal)
{
    if (o->kind == PTX_OPERAND_REG)
        return o->type;
    if ((o->kind == PTX_OPERAND_INT || o->kind == PTX_OPERAND_F32 ||
         o->kind == PTX_OPERAND_F64) &&
        formal != NULL)
        return formal->type;
    return PTX_TYPE_NONE;
}

/* Puts variables in place of a list's registers and constants. values[i] keeps what
 * stood at position i; NONE means that nothing was replaced there. */
static void
hide_list(struct parser *p, struct ptx_operand *list, const struct ptx_var *formal,
          struct ptx_operand *values, int line)
{
    for (uint32_t i = 0; i < list->count; i++) {
        enum ptx_type type = passed_type(&list->list[i], formal);

        values[i].kind = PTX_OPERAND_NONE;
        if (ptx_type_bytes(type) != 0 && ptx_type_bytes(type) <= 8) {
            values[i] = list->list[i];
            list->list[i] = (struct ptx_operand){.kind = PTX_OPERAND_VAR,
                                                 .var = hidden_param(p, type, line)};
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
            emit_access(p, PTX_OP_st, (struct ptx_var *)(uintptr_t)lists[1]->list[i].var,
                        values[1][i], &call);
    *new_insn(p) = call;
    p->insn_count++;
    for (uint32_t i = 0; lists[0] != NULL && i < lists[0]->count; i++)
        if (values[0][i].kind != PTX_OPERAND_NONE)
            emit_access(p, PTX_OP_ld, (struct ptx_var *)(uintptr_t)lists[0]->list[i].var,
                        values[0][i], &call);
}
