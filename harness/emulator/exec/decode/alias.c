/*
 * Finds instructions that need no execution. A mov, a cvta that changes nothing, or a
 * load of a kernel's parameter gives a value a second name. The register of that name
 * gets the lane vector of the value, and the instruction is left out. It still counts as
 * executed. About every fourth instruction that nvcc emits is one of them.
 *
 * "d = s" may be left out if d is written once and unguarded, and one of these holds:
 *   - s is an immediate, an address, a special register or a kernel's parameter;
 *   - s is a register that is written once, in the entry block, to which no branch leads;
 *   - s is written once, earlier in the same block, and nothing between mentions d (in a
 *     loop it would see the value of the last round);
 *   - all uses of d follow in the same block, and s is not written before the last.
 *
 * This is enough because each lane runs a block in order, and no lane writes another's
 * elements.
 */
#include "decoder.h"

#include <stdlib.h>

enum {
    REACH = 64
}; /* so many instructions around one are looked at, which bounds the work */

struct writes {
    uint8_t count;   /* how many instructions write the register; stops at 255 */
    uint32_t writer; /* the last one */
};

static void
note_writes(struct writes *writes, const struct ptx_operand *o, uint32_t insn)
{
    if (o->kind == PTX_OPERAND_REG && !o->is_address) {
        struct writes *w = &writes[o->reg];

        w->writer = insn;
        if (w->count < UINT8_MAX)
            w->count++;
    }
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        note_writes(writes, &o->list[i], insn);
    if (o->second != NULL)
        note_writes(writes, o->second, insn);
}

/* The results of every instruction are its first operand. A source in that place (bar,
 * nanosleep) counts as written, which only means that less is left out. */
static struct writes *
find_writes(const struct ptx_func *f)
{
    struct writes *writes = calloc(f->reg_count + 1, sizeof *writes);

    for (uint32_t i = 0; writes != NULL && i < f->insn_count; i++)
        if (f->insns[i].operand_count != 0)
            note_writes(writes, &f->insns[i].operands[0], i);
    return writes;
}

static bool
writes_register(const struct ptx_operand *o, uint32_t reg)
{
    bool found = o->kind == PTX_OPERAND_REG && !o->is_address && o->reg == reg;

    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        found |= writes_register(&o->list[i], reg);
    return found || (o->second != NULL && writes_register(o->second, reg));
}

static unsigned
mentions_in(const struct ptx_operand *o, uint32_t reg)
{
    unsigned n = o->kind == PTX_OPERAND_REG && o->reg == reg;

    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        n += mentions_in(&o->list[i], reg);
    return n + (o->second != NULL ? mentions_in(o->second, reg) : 0);
}

static unsigned
mentions(const struct ptx_insn *in, uint32_t reg)
{
    unsigned n = in->guarded && in->guard == reg;

    for (unsigned i = 0; i < in->operand_count; i++)
        n += mentions_in(&in->operands[i], reg);
    return n;
}

/* --- what may be left out ------------------------------------------------ */

/* The type of an instruction that copies its second operand to its first; NONE: it is no
 * copy. */
static enum ptx_type
copy_type(const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    enum ptx_type type = (enum ptx_type)in->types[0];

    if (in->guarded || in->too_long || in->operand_count != 2 || in->type_count != 1 ||
        o[0].kind != PTX_OPERAND_REG || o[0].is_address || !is_plain(&o[0]) ||
        o[0].offset != 0 || o[1].is_address || !is_plain(&o[1]) ||
        (o[1].kind != PTX_OPERAND_VAR && o[1].offset != 0) || type == PTX_pred ||
        o[0].type == PTX_pred || register_bytes(o[0].type) != register_bytes(type) ||
        !operand_fits(&o[0], type) || !operand_fits(&o[1], type))
        return PTX_TYPE_NONE;
    if (in->op == PTX_OP_mov && in->mod_count == 0 && ptx_type_bytes(type) >= 2)
        return type;
    if (in->op == PTX_OP_cvta && type == PTX_u64 &&
        (insn_space(in) == PTX_SPACE_GLOBAL || insn_space(in) == PTX_SPACE_CONST))
        return type;
    return PTX_TYPE_NONE;
}

/* The lane vector of ld.param.T d, [parameter+n], where T is as wide as d. */
static uint32_t
parameter(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    uint32_t bytes = ptx_type_bytes((enum ptx_type)in->types[0]);
    uint64_t address;
    bool in_frame;

    if (in->op != PTX_OP_ld || !d->func->is_entry || in->guarded || in->too_long ||
        in->operand_count != 2 || in->type_count != 1 || in->mod_count != 1 ||
        in->mods[0] != PTX_MOD_param || o[0].kind != PTX_OPERAND_REG || o[0].is_address ||
        !is_plain(&o[0]) || o[0].offset != 0 || o[0].type == PTX_pred ||
        register_bytes(o[0].type) != bytes ||
        !operand_fits(&o[0], (enum ptx_type)in->types[0]) ||
        o[1].kind != PTX_OPERAND_VAR || !o[1].is_address || !is_plain(&o[1]) ||
        o[1].var->space != PTX_SPACE_PARAM ||
        variable_address(d, o[1].var, &address, &in_frame) != 0 || in_frame)
        return UINT32_MAX;
    address += (uint64_t)o[1].offset;
    if (bytes < 4 || address > d->kernel->param_bytes ||
        bytes > d->kernel->param_bytes - address)
        return UINT32_MAX;
    return parameter_vector(d, (uint32_t)address, bytes);
}

/* Does nothing between the writer of s and the copy mention d? */
static bool
unmentioned_between(const struct ptx_func *f, uint32_t writer, uint32_t copy,
                    uint32_t reg)
{
    if (copy - writer > REACH)
        return false;
    for (uint32_t i = writer; i < copy; i++)
        if (mentions(&f->insns[i], reg) != 0)
            return false;
    return true;
}

/* Do all uses of d follow the copy in its block, before s is written again? */
static bool
used_at_once(const struct decoder *d, const struct code_block *b, uint32_t copy,
             uint32_t reg, uint32_t source)
{
    const struct ptx_func *f = d->func;
    unsigned left = d->mentions[reg];

    if (left == UINT8_MAX)
        return false;
    left--;
    for (uint32_t i = copy + 1; left != 0 && i < b->end && i - copy <= REACH; i++) {
        unsigned here = mentions(&f->insns[i], reg);

        left = here < left ? left - here : 0;
        if (left != 0 && f->insns[i].operand_count != 0 &&
            writes_register(&f->insns[i].operands[0], source))
            return false;
    }
    return left == 0;
}

static bool
may_share(const struct decoder *d, const struct code_block *b,
          const struct writes *writes, bool entry_runs_once, uint32_t entry_end,
          uint32_t copy, uint32_t reg, uint32_t source)
{
    const struct writes *w = &writes[source];

    if (reg == source)
        return false;
    if (w->count == 1 && w->writer < copy) {
        if (entry_runs_once && w->writer < entry_end)
            return true;
        if (w->writer >= b->first && unmentioned_between(d->func, w->writer, copy, reg))
            return true;
    }
    return used_at_once(d, b, copy, reg, source);
}

/* Gives reg the lane vector of the register in o, or the one that this register shares.
 * It is stored in *vector if it is known already. */
static bool
share_vector(struct decoder *d, uint32_t reg, const struct ptx_operand *o,
             enum ptx_type type, uint32_t *vector)
{
    uint32_t *root = &d->same_as[o->reg];

    if (o->type == PTX_pred || register_bytes(o->type) != register_bytes(type))
        return false;
    *vector = d->vector_of[o->reg];
    if (*vector != UINT32_MAX)
        return true;
    if (*root == UINT32_MAX)
        *root = o->reg;
    d->same_as[reg] = *root;
    return true;
}

static bool
leads_to(const struct code_block *blocks, uint32_t count, uint32_t to)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < blocks[i].successor_count; k++)
            if (blocks[i].successors[k] == to)
                return true;
    return false;
}

void
find_aliases(struct decoder *d, const struct code_block *blocks, uint32_t count)
{
    const struct ptx_func *f = d->func;
    struct writes *writes = find_writes(f);
    bool once = count != 0 && !leads_to(blocks, count, 0);

    d->left_out = kernel_alloc(d, f->insn_count + 1);
    if (writes == NULL || d->left_out == NULL) {
        d->no_memory = true;
        free(writes);
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = blocks[k].first; i < blocks[k].end; i++) {
            const struct ptx_insn *in = &f->insns[i];
            const struct ptx_operand *o = in->operands;
            enum ptx_type type = copy_type(in);
            uint32_t vector = UINT32_MAX;

            if (in->operand_count != 2 || o[0].kind != PTX_OPERAND_REG ||
                writes[o[0].reg].count != 1 || d->vector_of[o[0].reg] != UINT32_MAX ||
                d->same_as[o[0].reg] != UINT32_MAX)
                continue;
            if (type == PTX_TYPE_NONE)
                vector = parameter(d, in);
            else if (o[1].kind != PTX_OPERAND_REG)
                vector = source(d, &o[1], type);
            else if (may_share(d, &blocks[k], writes, once, blocks[0].end, i, o[0].reg,
                               o[1].reg) &&
                     share_vector(d, o[0].reg, &o[1], type, &vector))
                d->left_out[i] = 1;
            if (vector == UINT32_MAX)
                continue;
            d->vector_of[o[0].reg] = vector;
            d->left_out[i] = 1;
        }
    }
    free(writes);
}
