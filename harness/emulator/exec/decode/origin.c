/*
 * Finds the shared array from which an address was formed, as far as a function's text
 * tells. An access that leaves this array is then noticed, even if it meets another
 * array.
 *
 * A register holds an address of one array, a plain number, or something that is not
 * known. All definitions of the register count, in any order, so a pointer that a loop
 * moves on stays one of its array. Where addresses of two arrays meet in one register, or
 * are subtracted, nothing is known.
 */
#include "decoder.h"

enum {
    ROUNDS = 16
}; /* through the whole function; where they are not enough, nothing is known */

/* What a register holds: one of these, an array, or NULL while nothing was seen. */
static const struct ptx_var plain, unknown;

static const struct ptx_var *
join(const struct ptx_var *a, const struct ptx_var *b)
{
    return a == NULL || a == b ? b : b == NULL ? a : &unknown;
}

static bool
is_array(const struct ptx_var *v)
{
    return v != NULL && v != &plain && v != &unknown;
}

static const struct ptx_var *
origin_of_operand(const struct decoder *d, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPERAND_REG:
        return o->reg < d->func->reg_count ? d->origins[o->reg] : &unknown;
    case PTX_OPERAND_VAR:
        if (o->var->space != PTX_SPACE_SHARED)
            return &plain;
        return o->var->bytes != 0 && !o->var->is_extern ? o->var : &unknown;
    case PTX_OPERAND_LIST:
        return &unknown;
    default:
        return &plain;
    }
}

/* What the sum of two values holds. Of a sum of addresses nothing is known. */
static const struct ptx_var *
sum(const struct ptx_var *a, const struct ptx_var *b)
{
    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    if (a == &plain || b == &plain)
        return a == &plain ? b : a;
    return &unknown;
}

/* What the result of the instruction holds. */
static const struct ptx_var *
result(const struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_var *v[4] = {&plain, &plain, &plain, &plain};
    unsigned n = in->operand_count;

    if (n > 4)
        return &unknown;
    for (unsigned i = 1; i < n; i++)
        v[i] = origin_of_operand(d, &in->operands[i]);
    switch (in->op) {
    case PTX_OP_mov:
    case PTX_OP_cvt:
    case PTX_OP_cvta:
        return v[1];
    case PTX_OP_add:
    case PTX_OP_or: /* of an aligned address and a small number */
        return sum(v[1], v[2]);
    case PTX_OP_sub:
        return is_array(v[2]) ? &unknown : sum(v[1], v[2]);
    case PTX_OP_mul: /* whatever it was, it is an index now */
    case PTX_OP_shl:
    case PTX_OP_rem:
        return &plain;
    case PTX_OP_mad:
        return v[3];
    case PTX_OP_selp:
        return join(v[1], v[2]);
    case PTX_OP_ld: /* a number from memory may be an address, too */
        return &unknown;
    default:
        break;
    }
    for (unsigned i = 1; i < n; i++)
        if (is_array(v[i]) || v[i] == &unknown)
            return &unknown;
    return &plain;
}

static bool
note_result(struct decoder *d, const struct ptx_operand *o, const struct ptx_var *v)
{
    bool changed = false;

    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        changed |= note_result(d, &o->list[i], &unknown);
    if (o->second != NULL)
        changed |= note_result(d, o->second, &unknown);
    if (o->kind == PTX_OPERAND_REG && !o->is_address && o->reg < d->func->reg_count) {
        const struct ptx_var **at = &d->origins[o->reg], *joined = join(*at, v);

        changed |= joined != *at;
        *at = joined;
    }
    return changed;
}

static bool
find_origins(struct decoder *d)
{
    const struct ptx_func *f = d->func;
    bool changed = true;

    if (d->origins != NULL)
        return true;
    d->origins = kernel_alloc(d, (f->reg_count + 1) * sizeof(const struct ptx_var *));
    if (d->origins == NULL)
        return false;
    for (unsigned round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (uint32_t i = 0; i < f->insn_count; i++)
            if (f->insns[i].operand_count != 0)
                changed |=
                    note_result(d, &f->insns[i].operands[0], result(d, &f->insns[i]));
    }
    for (uint32_t i = 0; changed && i < f->reg_count; i++)
        d->origins[i] = &unknown;
    return true;
}

const struct ptx_var *
shared_origin(struct decoder *d, const struct ptx_operand *address)
{
    const struct ptx_var *v;

    if (!find_origins(d))
        return NULL;
    v = origin_of_operand(d, address);
    return is_array(v) ? v : NULL;
}
