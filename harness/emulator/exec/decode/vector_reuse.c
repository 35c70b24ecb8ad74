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

/* --- registers that are read before they are written ---------------------------- */

enum { SETS_MAX = 1 << 21, ROUNDS_MAX = 64 }; /* words of all sets, and looks at them */

/* Of each basic block the registers that it reads before it has written them, and those
 * that it writes without a guard. */
struct register_sets {
    uint64_t *read, *written;
    uint32_t words; /* of the set of one block */
    uint32_t block;
};

static void
see_use(struct decoder *d, uint32_t root, uint32_t insn, bool is_write)
{
    const struct register_sets *s = d->sets;
    size_t word = (size_t)s->block * s->words + root / 64;
    uint64_t bit = (uint64_t)1 << root % 64;
    enum ptx_op op = d->func->insns[insn].op;

    if (is_write && op != PTX_OP_brx && op != PTX_OP_call)
        s->written[word] |= bit;
    else
        s->read[word] |= bit & ~s->written[word];
}

/* What a block's successors read before they write it, the block must have written, or
 * reads in their place. false: nothing was added. */
static bool
add_from_successors(const struct register_sets *s, const struct code_block *blocks,
                    uint32_t block)
{
    uint64_t *read = s->read + (size_t)block * s->words, more = 0;
    const uint64_t *written = s->written + (size_t)block * s->words;

    for (uint32_t i = 0; i < blocks[block].successor_count; i++) {
        const uint64_t *next = s->read + (size_t)blocks[block].successors[i] * s->words;

        for (uint32_t k = 0; k < s->words; k++) {
            more |= next[k] & ~written[k] & ~read[k];
            read[k] |= next[k] & ~written[k];
        }
    }
    return more != 0;
}

/* false: the function is too large to say, and any register may be. */
static bool
spread_reads(const struct register_sets *s, const struct code_block *blocks,
             uint32_t count)
{
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        bool changed = false;

        for (uint32_t i = count; i > 0; i--)
            changed |= add_from_successors(s, blocks, i - 1);
        if (!changed)
            return true;
    }
    return false;
}

/* Marks the registers that a path through the function reads before it writes them. -1:
 * the host has no memory. */
static int
find_unwritten(struct decoder *d, const struct code_block *blocks, uint32_t count)
{
    struct register_sets s = {.words = d->func->reg_count / 64 + 1};
    size_t all = (size_t)s.words * count;
    bool known = count != 0 && all <= SETS_MAX;

    if (known) {
        s.read = calloc(2 * all, sizeof *s.read);
        if (s.read == NULL)
            return -1;
        s.written = s.read + all;
        d->sets = &s;
        for (; s.block < count; s.block++)
            for (uint32_t i = blocks[s.block].first; i < blocks[s.block].end; i++)
                visit_insn(d, i, see_use);
        d->sets = NULL;
        known = spread_reads(&s, blocks, count);
    }
    for (uint32_t r = 0; r <= d->func->reg_count; r++)
        d->lives[r].unwritten = !known || (s.read[r / 64] >> r % 64 & 1) != 0;
    free(s.read);
    return 0;
}

int
vector_reuse_begin(struct decoder *d, const struct code_block *blocks, uint32_t count)
{
    d->lives = calloc(d->func->reg_count + 1, sizeof *d->lives);
    if (d->lives == NULL)
        return -1;
    for (uint32_t i = 0; i < d->func->insn_count; i++)
        visit_insn(d, i, count_mention);
    return d->func->is_entry ? find_unwritten(d, blocks, count) : 0;
}

/* --- lane vectors ----------------------------------------------------------------- */

uint32_t
new_cleared_vector(struct decoder *d, uint32_t element_bytes)
{
    uint32_t vector = new_vector(d, element_bytes);
    struct unwritten *u = kernel_alloc(d, sizeof *u);

    if (u == NULL)
        return vector;
    *u = (struct unwritten){d->program->unwritten, vector, d->frame_bytes - vector};
    d->program->unwritten = u;
    return vector;
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

        bool cleared = !passing && d->lives != NULL && d->lives[root].unwritten;

        d->vector_of[root] = passing && pool->count != 0 ? pool->vectors[--pool->count]
                             : cleared                   ? new_cleared_vector(d, bytes)
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
