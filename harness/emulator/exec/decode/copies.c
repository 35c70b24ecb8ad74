/*
 * Finds loads whose values are copied and nothing else: each register that they fill is
 * stored, or handed on by mov, selp or shfl to one that is. What a store to local memory
 * keeps, the kernel may compute with later, so it is no copy.
 */
#include "decoder.h"

enum { PASSES_MAX = 8 };

static void
note_used(struct decoder *d, const struct ptx_operand *o, bool *changed)
{
    if (o->kind == PTX_OPERAND_REG && o->reg < d->func->reg_count &&
        !d->computed_with[o->reg]) {
        d->computed_with[o->reg] = true;
        *changed = true;
    }
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        note_used(d, &o->list[i], changed);
    if (o->second != NULL)
        note_used(d, o->second, changed);
}

static bool
is_used(const struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REG && o->reg < d->func->reg_count &&
        d->computed_with[o->reg])
        return true;
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        if (is_used(d, &o->list[i]))
            return true;
    return false;
}

/* Does the instruction only hand on its operand with this number? Number 0 is its result,
 * or a store's address. */
static bool
hands_on(const struct decoder *d, const struct ptx_insn *in, unsigned operand)
{
    switch (in->op) {
    case PTX_OP_ld:
        return operand == 0;
    case PTX_OP_st:
        return operand == 1 && insn_space(in) != PTX_SPACE_LOCAL;
    case PTX_OP_mov:
        return operand == 0 || !is_used(d, &in->operands[0]);
    case PTX_OP_selp:
        return operand == 0 || (operand < 3 && !is_used(d, &in->operands[0]));
    case PTX_OP_shfl:
        return operand == 0 || (operand == 1 && !is_used(d, &in->operands[0]));
    default:
        return false;
    }
}

/* Finds the registers with which something is computed. */
static bool
find_computed(struct decoder *d)
{
    bool changed = true;

    if (d->computed_with != NULL)
        return true;
    d->computed_with = kernel_alloc(d, d->func->reg_count + 1);
    if (d->computed_with == NULL)
        return false;
    for (unsigned pass = 0; changed && pass < PASSES_MAX; pass++) {
        changed = false;
        for (uint32_t i = d->func->insn_count; i-- > 0;) {
            const struct ptx_insn *in = &d->func->insns[i];

            for (unsigned k = 0; k < in->operand_count; k++)
                if (!hands_on(d, in, k))
                    note_used(d, &in->operands[k], &changed);
        }
    }
    if (changed) /* a chain of copies that is too long */
        for (uint32_t r = 0; r < d->func->reg_count; r++)
            d->computed_with[r] = true;
    return true;
}

bool
is_copy(struct decoder *d, const struct ptx_insn *in)
{
    return in->op == PTX_OP_ld && in->operand_count > 0 && find_computed(d) &&
           !is_used(d, &in->operands[0]);
}
