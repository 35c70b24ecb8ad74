/*
 * Finds loads and stores that are races by the letter, but the usual way to write
 * something correct. The race detector is told of them (ACCESS_QUIET). There are two
 * kinds.
 *
 *   A plain load followed by an atomic operation on the same address, without a barrier
 *   between them: the first look of a compare-and-swap loop, or `if (d < best[v])
 *   atomicMin(&best[v], d)`. The atomic operation looks again.
 *
 *   A plain store of a value that is the same for all threads of the launch, an immediate
 *   or one computed from parameters only: `visited[v] = 1`, `depth[v] = level + 1`.
 *   Whoever reads sees the old value or the new one, and nothing else is ever there.
 */
#include "../race/race.h"
#include "decoder.h"

enum { LOOK_AHEAD = 200, MAX_DEPTH = 8 };

/* --- definitions ------------------------------------------------------------------- */

static const struct ptx_insn several; /* stands for more than one definition */

static void
note_definition(struct decoder *d, const struct ptx_operand *o, const struct ptx_insn *in)
{
    if (o->kind == PTX_OPERAND_REG && !o->is_address && o->reg < d->func->reg_count)
        d->definition[o->reg] = d->definition[o->reg] == NULL ? in : &several;
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        note_definition(d, &o->list[i], in);
    if (o->second != NULL)
        note_definition(d, o->second, in);
}

static bool
find_definitions(struct decoder *d)
{
    if (d->definition != NULL)
        return true;
    d->definition =
        kernel_alloc(d, (d->func->reg_count + 1) * sizeof(const struct ptx_insn *));
    if (d->definition == NULL)
        return false;
    for (uint32_t i = 0; i < d->func->insn_count; i++) {
        const struct ptx_insn *in = &d->func->insns[i];

        if (in->operand_count > 0 && in->op != PTX_OP_st)
            note_definition(d, &in->operands[0], in);
    }
    return true;
}

/* --- a look before an atomic operation --------------------------------------------- */

/* The operand from which an address register was copied or converted. The constants that
 * were added on the way are summed up: nvcc folds them into the address of a load, but
 * not into that of an atomic. */
static const struct ptx_operand *
origin(const struct decoder *d, const struct ptx_operand *o, int64_t *offset)
{
    *offset = o->offset;
    for (int i = 0; i < MAX_DEPTH && o->kind == PTX_OPERAND_REG; i++) {
        const struct ptx_insn *in =
            o->reg < d->func->reg_count ? d->definition[o->reg] : NULL;
        bool adds = in != NULL && in->op == PTX_OP_add && in->operand_count == 3 &&
                    in->operands[2].kind == PTX_OPERAND_INT;

        if (in == NULL || (!adds && ((in->op != PTX_OP_mov && in->op != PTX_OP_cvta) ||
                                     in->operand_count != 2)))
            break;
        if (in->operands[1].offset != 0 || (in->operands[1].kind != PTX_OPERAND_REG &&
                                            in->operands[1].kind != PTX_OPERAND_VAR))
            break;
        if (adds)
            *offset = (int64_t)((uint64_t)*offset + in->operands[2].bits);
        o = &in->operands[1];
    }
    return o;
}

static bool
same_address(const struct decoder *d, const struct ptx_operand *a,
             const struct ptx_operand *b)
{
    int64_t a_offset, b_offset;

    if (!a->is_address || !b->is_address)
        return false;
    a = origin(d, a, &a_offset);
    b = origin(d, b, &b_offset);
    if (a_offset != b_offset)
        return false;
    return a->kind == PTX_OPERAND_REG   ? b->kind == a->kind && a->reg == b->reg
           : a->kind == PTX_OPERAND_VAR ? b->kind == a->kind && a->var == b->var
                                        : false;
}

static bool
is_block_barrier(const struct ptx_insn *in)
{
    return (in->op == PTX_OP_bar || in->op == PTX_OP_barrier) &&
           !ptx_has_mod(in, PTX_MOD_warp);
}

static bool
precedes_atomic(const struct decoder *d, const struct ptx_insn *load)
{
    const struct ptx_func *f = d->func;
    const struct ptx_insn *end = f->insns + f->insn_count;

    for (const struct ptx_insn *in = load + 1;
         in < end && in - load < LOOK_AHEAD && !is_block_barrier(in); in++) {
        unsigned at = in->op == PTX_OP_atom ? 1 : 0;

        if ((in->op == PTX_OP_atom || in->op == PTX_OP_red) && in->operand_count > at &&
            same_address(d, &load->operands[1], &in->operands[at]))
            return true;
    }
    return false;
}

/* --- values that all threads share ------------------------------------------------- */

static bool is_shared_value(const struct decoder *d, const struct ptx_operand *o,
                            int depth);

/* Is this arithmetic on values that all threads share, or a kernel's parameter? */
static bool
gives_shared_value(const struct decoder *d, const struct ptx_insn *in, int depth)
{
    switch (in->op) {
    case PTX_OP_ld:
        return d->func->is_entry && in->operand_count == 2 &&
               in->operands[1].kind == PTX_OPERAND_VAR &&
               in->operands[1].var->space == PTX_SPACE_PARAM;
    case PTX_OP_mov:
    case PTX_OP_cvt:
    case PTX_OP_cvta:
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_fma:
    case PTX_OP_neg:
    case PTX_OP_not:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_shl:
    case PTX_OP_shr:
        break;
    default:
        return false;
    }
    for (unsigned i = 1; i < in->operand_count; i++)
        if (!is_shared_value(d, &in->operands[i], depth + 1))
            return false;
    return in->operand_count > 1;
}

static bool
is_shared_value(const struct decoder *d, const struct ptx_operand *o, int depth)
{
    switch (o->kind) {
    case PTX_OPERAND_INT:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        return true;
    case PTX_OPERAND_SREG:
        return o->sreg >= PTX_SREG_ntid_x && o->sreg <= PTX_SREG_ntid_z;
    case PTX_OPERAND_REG:
        return depth < MAX_DEPTH && o->reg < d->func->reg_count &&
               d->definition[o->reg] != NULL && d->definition[o->reg] != &several &&
               gives_shared_value(d, d->definition[o->reg], depth);
    default:
        return false;
    }
}

bool
race_is_quiet(struct decoder *d, const struct ptx_insn *in)
{
    if (in->operand_count < 2 || !find_definitions(d))
        return false;
    if (in->op != PTX_OP_st)
        return precedes_atomic(d, in);
    return is_shared_value(d, &in->operands[1], 0);
}
