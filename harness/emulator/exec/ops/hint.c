/* Hints to caches and schedulers, which do nothing here (PTX ISA 9.7.9.15 to .17). */
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../warp.h"

static const struct insn *
op_nothing(struct warp *w, const struct insn *in)
{
    (void)w;
    return in + 1;
}

/* prefetch and the like. griddepcontrol is one: a dependent launch begins when its
 * predecessor ended. */
int
decode_hint(struct decoder *d, const struct ptx_insn *in)
{
    if (in->op == PTX_OP_setmaxnreg && type_read(d, in, 0) != PTX_u32)
        return -1;
    hints_read(d, in, 0, in->operand_count);
    emit(d, op_nothing);
    return 0;
}

/* createpolicy (9.7.9.17): a hint in a register, opaque to programs. */
static const struct insn *
op_create_policy(struct warp *w, const struct insn *in)
{
    uint64_t *d = (uint64_t *)(void *)(w->regs + in->d);

    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        d[__builtin_ctz(m)] = 0;
    return in + 1;
}

int
decode_policy(struct decoder *d, const struct ptx_insn *in)
{
    uint32_t vector = destination(d, &in->operands[0], 8);

    if (vector == UINT32_MAX || type_read(d, in, 0) != PTX_b64)
        return -1;
    hints_read(d, in, 1, in->operand_count);
    emit(d, op_create_policy)->d = vector;
    return 0;
}
