/*
 * Lane vectors that serve one register after the other. PTX of nvcc names every value
 * once, so a kernel of a few lines has a hundred registers. Their lane vectors, for all
 * warps of a block, would not fit the host's cache.
 *
 * A register is passing if one basic block has all mentions of it, and the first is a
 * write without a guard. After the last mention it gives its lane vector back, and only
 * another passing register takes it.
 *
 * This is safe because a lane runs a block in order and writes no other lane's elements.
 * No lane inside the block needs what the lane vector held before, and no lane outside
 * needs the lane vector at all.
 *
 * Registers that share a lane vector (alias.c) count as one, which is `root_of` them.
 */
#include "decoder.h"

#include <stdlib.h>

static uint32_t
root_of(const struct decoder *d, uint32_t reg)
{
    return d->same_as[reg] != UINT32_MAX ? d->same_as[reg] : reg;
}

typedef void visit(struct decoder *d, uint32_t root, uint32_t insn, bool is_write);

static void
visit_operand(struct decoder *d, const struct ptx_operand *o, uint32_t insn,
              bool is_write, visit *f)
{
    if (o->kind == PTX_OPERAND_REG)
        f(d, root_of(d, o->reg), insn, is_write && !o->is_address);
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        visit_operand(d, &o->list[i], insn, is_write, f);
    if (o->second != NULL)
        visit_operand(d, o->second, insn, is_write, f);
}

/* Sources are visited first: an instruction reads a register before it writes it. */
static void
visit_insn(struct decoder *d, uint32_t insn, visit *f)
{
    const struct ptx_insn *in = &d->func->insns[insn];

    if (in->guarded)
        f(d, root_of(d, in->guard), insn, false);
    for (unsigned i = 1; i < in->operand_count; i++)
        visit_operand(d, &in->operands[i], insn, false, f);
    if (in->operand_count != 0)
        visit_operand(d, &in->operands[0], insn, !in->guarded, f);
}

static void
count_mention(struct decoder *d, uint32_t root, uint32_t insn, bool is_write)
{
    (void)insn;
    (void)is_write;
    d->lives[root].left++;
}

int
vector_reuse_begin(struct decoder *d)
{
    d->lives = calloc(d->func->reg_count + 1, sizeof *d->lives);
    if (d->lives == NULL)
        return -1;
    for (uint32_t i = 0; i < d->func->insn_count; i++)
        visit_insn(d, i, count_mention);
    return 0;
}

static void
see_mention(struct decoder *d, uint32_t root, uint32_t insn, bool is_write)
{
    struct life *l = &d->lives[root];

    if (l->block != d->block) {
        l->block = d->block;
        l->here = 0;
        l->written_first = is_write;
    }
    l->here++;
    l->last = insn;
}

void
vector_reuse_block(struct decoder *d, const struct code_block *b)
{
    d->block++;
    for (uint32_t i = b->first; i < b->end; i++)
        visit_insn(d, i, see_mention);
}

/* Is the register passing? bytes: of an element. */
static bool
is_passing(const struct decoder *d, uint32_t root)
{
    const struct life *l = &d->lives[root];

    return l->block == d->block && l->here == l->left && l->written_first;
}

static unsigned
pool_of(uint32_t bytes)
{
    return bytes == 2 ? 0 : bytes == 4 ? 1 : 2;
}

uint32_t
register_vector(struct decoder *d, uint32_t reg, uint32_t bytes)
{
    uint32_t root = root_of(d, reg);
    struct vector_pool *pool = &d->free_vectors[pool_of(bytes)];

    if (d->vector_of[reg] != UINT32_MAX)
        return d->vector_of[reg];
    if (d->vector_of[root] == UINT32_MAX) {
        bool passing = bytes != 0 && d->lives != NULL && is_passing(d, root);

        d->vector_of[root] = passing && pool->count != 0 ? pool->vectors[--pool->count]
                                                         : new_vector(d, bytes);
        if (passing)
            d->lives[root].lane_bytes = (uint8_t)bytes;
    }
    return d->vector_of[root];
}

static void
give_back(struct decoder *d, uint32_t root, uint32_t insn, bool is_write)
{
    struct life *l = &d->lives[root];
    struct vector_pool *pool = &d->free_vectors[pool_of(l->lane_bytes)];

    (void)is_write;
    if (l->lane_bytes == 0 || l->last != insn || d->vector_of[root] == UINT32_MAX)
        return;
    if (pool->count < VECTOR_POOL)
        pool->vectors[pool->count++] = d->vector_of[root];
    d->vector_of[root] = UINT32_MAX;
    l->lane_bytes = 0;
}

void
vector_reuse_after(struct decoder *d, uint32_t insn)
{
    visit_insn(d, insn, give_back);
}
