/*
 * The order in which a function's blocks are laid out: a weak topological order
 * (Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993).
 *
 * Every loop is contiguous and starts at its head, and every forward edge goes forward. A
 * warp runs the path at the lowest position first. So a lane that leaves a loop waits
 * behind it until the last lane has left, and the lanes meet again. Code that nothing
 * reaches is left out.
 */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

/* A function with more blocks keeps the order of the text, in which lanes meet later. */
enum { MAX_ORDERED_BLOCKS = 20000 };

static bool
ends_block(const struct ptx_insn *in)
{
    return in->op == PTX_OP_bra || in->op == PTX_OP_brx || in->op == PTX_OP_ret ||
           in->op == PTX_OP_exit || in->op == PTX_OP_trap;
}

static void
mark_targets(const struct ptx_func *f, const struct ptx_insn *in, bool *leads)
{
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *o = &in->operands[i];

        if (o->kind == PTX_OPERAND_LABEL && o->label < f->insn_count)
            leads[o->label] = true;
        for (uint32_t t = 0; o->kind == PTX_OPERAND_TABLE && t < o->count; t++)
            if (o->table[t] < f->insn_count)
                leads[o->table[t]] = true;
    }
}

static uint32_t
block_at(const struct code_block *blocks, uint32_t count, uint32_t insn)
{
    uint32_t low = 0, high = count;

    while (high - low > 1) {
        uint32_t mid = (low + high) / 2;

        if (blocks[mid].first <= insn)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static void
add_successor(struct code_block *b, uint32_t block)
{
    for (uint32_t i = 0; i < b->successor_count; i++)
        if (b->successors[i] == block)
            return;
    b->successors[b->successor_count++] = block;
}

static int
link_block(struct decoder *d, struct code_block *blocks, uint32_t count, uint32_t i)
{
    const struct ptx_func *f = d->func;
    struct code_block *b = &blocks[i];
    const struct ptx_insn *last = &f->insns[b->end - 1];
    uint32_t targets = 2;

    for (unsigned k = 0; k < last->operand_count; k++)
        targets +=
            last->operands[k].kind == PTX_OPERAND_TABLE ? last->operands[k].count : 1;
    b->successors = kernel_alloc(d, targets * sizeof *b->successors);
    if (b->successors == NULL)
        return -1;
    b->falls_through = (!ends_block(last) || last->guarded) && i + 1 < count;
    if (b->falls_through)
        add_successor(b, i + 1);
    if (last->op != PTX_OP_bra && last->op != PTX_OP_brx)
        return 0;
    for (unsigned k = 0; k < last->operand_count; k++) {
        const struct ptx_operand *o = &last->operands[k];

        if (o->kind == PTX_OPERAND_LABEL && o->label < f->insn_count)
            add_successor(b, block_at(blocks, count, o->label));
        for (uint32_t t = 0; o->kind == PTX_OPERAND_TABLE && t < o->count; t++)
            if (o->table[t] < f->insn_count)
                add_successor(b, block_at(blocks, count, o->table[t]));
    }
    return 0;
}

struct code_block *
find_blocks(struct decoder *d, uint32_t *count)
{
    const struct ptx_func *f = d->func;
    bool *leads = calloc(f->insn_count + 1, sizeof *leads);
    struct code_block *blocks = NULL;
    uint32_t n = 0;

    if (leads == NULL)
        return NULL;
    leads[0] = true;
    for (uint32_t i = 0; i < f->insn_count; i++) {
        mark_targets(f, &f->insns[i], leads);
        if (ends_block(&f->insns[i]))
            leads[i + 1] = true;
    }
    for (uint32_t i = 0; i < f->insn_count; i++)
        n += leads[i];
    blocks = kernel_alloc(d, (n + 1) * sizeof *blocks);
    if (blocks == NULL)
        goto out;
    n = 0;
    for (uint32_t i = 0; i < f->insn_count; i++) {
        if (leads[i])
            blocks[n++].first = i;
        blocks[n - 1].end = i + 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (link_block(d, blocks, n, i) != 0) {
            blocks = NULL;
            break;
        }
    }
    *count = n;
out:
    free(leads);
    return blocks;
}

struct ordering {
    const struct code_block *blocks;
    uint32_t *number; /* UINT32_MAX: placed */
    uint32_t *stack, depth;
    uint32_t *order, at; /* filled from its end */
    uint32_t next;
};

static uint32_t visit(struct ordering *o, uint32_t v);

static void
place_loop(struct ordering *o, uint32_t head)
{
    const struct code_block *b = &o->blocks[head];

    for (uint32_t i = 0; i < b->successor_count; i++)
        if (o->number[b->successors[i]] == 0)
            visit(o, b->successors[i]);
    o->order[--o->at] = head;
}

static uint32_t
visit(struct ordering *o, uint32_t v)
{
    const struct code_block *b = &o->blocks[v];
    uint32_t head, element;
    bool loop = false;

    o->stack[o->depth++] = v;
    head = o->number[v] = ++o->next;
    for (uint32_t i = 0; i < b->successor_count; i++) {
        uint32_t s = b->successors[i];
        uint32_t lowest = o->number[s] == 0 ? visit(o, s) : o->number[s];

        if (lowest <= head) {
            head = lowest;
            loop = true;
        }
    }
    if (head != o->number[v])
        return head;
    o->number[v] = UINT32_MAX;
    element = o->stack[--o->depth];
    if (!loop) {
        o->order[--o->at] = v;
        return head;
    }
    while (element != v) {
        o->number[element] = 0;
        element = o->stack[--o->depth];
    }
    place_loop(o, v);
    return head;
}

uint32_t *
block_order(struct decoder *d, const struct code_block *blocks, uint32_t count,
            uint32_t *order_count)
{
    struct ordering o = {.blocks = blocks, .at = count};
    size_t size = ((size_t)count + 1) * sizeof(uint32_t);

    o.order = kernel_alloc(d, size);
    if (o.order == NULL)
        return NULL;
    if (count > MAX_ORDERED_BLOCKS) {
        for (uint32_t i = 0; i < count; i++)
            o.order[i] = i;
        *order_count = count;
        return o.order;
    }
    o.number = kernel_alloc(d, size);
    o.stack = kernel_alloc(d, size);
    if (o.number == NULL || o.stack == NULL)
        return NULL;
    if (count > 0)
        visit(&o, 0);
    *order_count = count - o.at;
    return o.order + o.at;
}
