/*
 * How long one warp needs for a region: its critical path, found once, at decoding.
 *
 * ptxas moves independent instructions of a straight sequence together, and loads before
 * all. So a lone warp waits for the longest chain of results that need each other. Each
 * instruction begins when its operands are there. A load does not begin before the
 * stores, atomics and fences above it, unless the text says that nobody writes there
 * (ld.nc).
 *
 * The chain that ends last is the region's path. It may be another one where loads take
 * longer. So a path is found for loads that L1 answers, L2, and DRAM. The warp takes the
 * longest (block_cost.c): no chain beside the loads hides them.
 * The cycles and loads of the path for L2 are booked to the lines of its instructions.
 * From the executions of the first run costs.c then tells how long warps waited, and on
 * which line.
 *
 * A region is what ptxas schedules as one sequence: a run, and the runs behind it that
 * are reached only from it. Where a branch may leave one of these out, it must be so
 * short that ptxas guards its instructions instead of branching: `i < n ? a[i] : 0`. The
 * region's path is booked to its first run, whichever of the others are executed. What
 * they write may or may not stay, so whoever reads it waits for the later of both values.
 *
 * At the end of a region everything is waited for. Warps issue in order, and the next
 * turn of a loop does not begin before this turn's last use of a load.
 */
#include "critical.h"

#include "opcode.h"

#include <stdlib.h>
#include <string.h>

/* ptxas of CUDA 13 guards so much for sm_90. The figures are from the machine code of
 * four blocks in a row: with one load and 0 to 32 multiplications, or with 2 to 8 loads.
 */
enum { PREDICABLE_SLOTS = 18, PREDICABLE_LOADS = 1 };

/* What a load may take, in cycles: if L1 answers, L2 or DRAM. A path is found for each.
 * The one of L2 is booked to lines. */
enum { ANSWERS = 3, BY_L2 = 1 };
static const uint32_t LOAD_CYCLES[ANSWERS] = {40, 300, 1000};

struct critical_node {
    uint32_t line;
    uint32_t before[ANSWERS]; /* 1 + the node for which it waited; 0: none */
    uint32_t finish[ANSWERS]; /* cycles from the run's beginning */
    uint8_t cycles;
    bool load;
};

/* The run and the nodes that wrote a register last. */
struct critical_writer {
    uint32_t region, node[ANSWERS]; /* 1 + the node */
};

/* Makes *node wait for another, which is one more than its number; 0: there is none. */
static void
wait_for(const struct decoder *d, struct critical_node *node, unsigned answer,
         uint32_t writer)
{
    uint32_t finish = writer != 0 ? d->critical_nodes[writer - 1].finish[answer] : 0;

    if (writer != 0 && (node->before[answer] == 0 || finish > node->finish[answer])) {
        node->before[answer] = writer;
        node->finish[answer] = finish;
    }
}

static void
wait_for_register(const struct decoder *d, struct critical_node *node, uint32_t reg)
{
    const struct critical_writer *w = &d->critical_writers[reg];

    for (unsigned i = 0; w->region == d->region && i < ANSWERS; i++)
        wait_for(d, node, i, w->node[i]);
}

static void
wait_for_operand(const struct decoder *d, struct critical_node *node,
                 const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REG)
        wait_for_register(d, node, o->reg);
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        wait_for_operand(d, node, &o->list[i]);
}

/* Is the register's value so far there later than what the next node writes? */
static bool
stays_later(const struct decoder *d, uint32_t reg, unsigned answer)
{
    const struct critical_writer *w = &d->critical_writers[reg];

    return w->region == d->region &&
           d->critical_nodes[w->node[answer] - 1].finish[answer] >=
               d->critical_nodes[d->critical_count].finish[answer];
}

/* perhaps: another instruction's value may stay in the register. */
static void
write_register(struct decoder *d, uint32_t reg, bool perhaps)
{
    struct critical_writer *w = &d->critical_writers[reg], now = {.region = d->region};

    for (unsigned i = 0; i < ANSWERS; i++)
        now.node[i] =
            perhaps && stays_later(d, reg, i) ? w->node[i] : d->critical_count + 1;
    *w = now;
}

static void
write_operand(struct decoder *d, const struct ptx_operand *o, bool perhaps)
{
    if (o->kind == PTX_OPERAND_REG)
        write_register(d, o->reg, perhaps);
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        write_operand(d, &o->list[i], perhaps);
    if (o->second != NULL)
        write_operand(d, o->second, perhaps);
}

static bool
reserve_node(struct decoder *d)
{
    uint32_t max = d->critical_max != 0 ? d->critical_max * 2 : 256;
    struct critical_node *nodes;

    if (d->critical_writers == NULL) {
        d->critical_writers = calloc(d->func->reg_count + 1, sizeof *d->critical_writers);
        if (d->critical_writers == NULL)
            d->no_memory = true;
    }
    if (d->critical_count == d->critical_max) {
        nodes = realloc(d->critical_nodes, max * sizeof *nodes);
        if (nodes == NULL) {
            d->no_memory = true;
        } else {
            d->critical_nodes = nodes;
            d->critical_max = max;
        }
    }
    return !d->no_memory;
}

/* Is the result of an atomic named nowhere else? Then the atomic is a reduction. */
static bool
is_unused(const struct decoder *d, const struct ptx_insn *in)
{
    return in->op == PTX_OP_atom && in->operand_count != 0 &&
           (in->operands[0].kind != PTX_OPERAND_REG ||
            d->mentions[in->operands[0].reg] <= 1);
}

/* Does the instruction read memory that an earlier one may have written? */
static bool
waits_for_stores(const struct ptx_insn *in, const struct issue_place *at,
                 const struct issue_cost *cost)
{
    bool reads = in->op == PTX_OP_ld || in->op == PTX_OP_ldmatrix ||
                 (in->op == PTX_OP_wmma && ptx_has_mod(in, PTX_MOD_load));

    return reads && !cost->unordered && at->space != PTX_SPACE_PARAM &&
           at->space != PTX_SPACE_CONST;
}

void
critical_occupy(struct decoder *d, const struct ptx_insn *in, uint32_t cycles)
{
    uint32_t slots = opcode_of(in->op)->slots;

    d->critical_slots += cycles > slots ? cycles - slots : 0;
}

void
critical_add(struct decoder *d, const struct ptx_insn *in)
{
    struct issue_place place = {.space = insn_space(in),
                                .in_entry = d->func->is_entry,
                                .unused = is_unused(d, in)};
    struct issue_cost cost = issue_cost(in, &place);
    struct critical_node node = {.cycles = cost.cycles, .load = cost.load};
    unsigned first = writes_first_operand(in) ? 1 : 0;

    share_of(d, d->run_tally)->issue_slots += cost.slots;
    d->critical_slots += cost.slots;
    if (!reserve_node(d))
        return;
    node.line = line_of(d);
    for (unsigned i = first; i < in->operand_count; i++)
        wait_for_operand(d, &node, &in->operands[i]);
    if (in->guarded)
        wait_for_register(d, &node, in->guard);
    for (unsigned i = 0; i < ANSWERS; i++) {
        if (cost.orders || waits_for_stores(in, &place, &cost))
            wait_for(d, &node, i, d->critical_order);
        node.finish[i] += cost.cycles + (cost.load ? LOAD_CYCLES[i] : 0u);
    }
    d->critical_nodes[d->critical_count] = node;
    if (first != 0 && in->operand_count != 0)
        write_operand(d, &in->operands[0], in->guarded || d->critical_perhaps);
    d->critical_count++;
    if (cost.orders)
        d->critical_order = d->critical_count;
}

/* The path of the open region that is longest for such an answer. */
static struct region_path
longest_path(struct decoder *d, unsigned answer)
{
    uint32_t last = 0, steps = d->critical_count;
    struct region_path path = {0};

    for (uint32_t i = 1; i < d->critical_count; i++)
        if (d->critical_nodes[i].finish[answer] > d->critical_nodes[last].finish[answer])
            last = i;
    for (uint32_t at = d->critical_count != 0 ? last + 1 : 0; at != 0 && steps > 0;
         steps--) {
        const struct critical_node *node = &d->critical_nodes[at - 1];

        if (answer == BY_L2) {
            struct share *s = share_at(d, d->region_tally, node->line);

            s->path_cycles += node->cycles;
            s->path_loads += node->load;
        }
        path.cycles += node->cycles;
        path.loads += node->load;
        at = node->before[answer];
    }
    return path;
}

/* Tells the region's first run its path, or its paths where they differ. */
static void
set_paths(struct decoder *d, const struct region_paths *found)
{
    struct insn *first = &d->insns[d->region_insn];
    const struct region_path *path = found->path;
    struct region_paths *paths;

    first->a = path[BY_L2].cycles;
    first->b = path[BY_L2].loads;
    if (memcmp(&path[0], &path[1], sizeof *path) == 0 &&
        memcmp(&path[1], &path[2], sizeof *path) == 0)
        return;
    paths = kernel_alloc(d, sizeof *paths);
    if (paths == NULL)
        return;
    *paths = *found;
    first->paths = paths;
}

void
critical_close(struct decoder *d)
{
    struct region_paths found;

    for (unsigned i = 0; i < ANSWERS; i++)
        found.path[i] = longest_path(d, i);
    if (d->critical_count != 0 && !d->no_memory)
        set_paths(d, &found);
    critical_end_run(d);
    d->critical_count = 0;
    d->critical_order = 0;
    d->region++;
    d->region_reach = 0;
    d->critical_perhaps = false;
}

/* --- regions ------------------------------------------------------------- */

void
critical_end_run(struct decoder *d)
{
    if (d->count != 0 && !d->no_memory)
        d->insns[d->run_insn].c = d->critical_slots;
    d->critical_slots = 0;
}

/* Does ptxas guard each instruction of such a block instead of branching around it? */
static bool
is_predicable(const struct decoder *d, const struct code_block *b)
{
    uint32_t slots = 0, loads = 0;

    for (uint32_t i = b->first; i < b->end; i++) {
        const struct ptx_insn *in = &d->func->insns[i];
        struct issue_place place = {.space = insn_space(in),
                                    .in_entry = d->func->is_entry,
                                    .unused = is_unused(d, in)};
        struct issue_cost cost = issue_cost(in, &place);

        if (may_park(in))
            return false;
        slots += cost.slots;
        loads += cost.load;
    }
    return slots <= PREDICABLE_SLOTS && loads <= PREDICABLE_LOADS;
}

/* May the block be left out, because a branch of the region leads past it? */
static bool
is_conditional(const struct decoder *d, const struct code_block *b)
{
    return d->region_reach > b->position;
}

bool
critical_continues(struct decoder *d, const struct code_block *b)
{
    bool continues = b->predecessors != 0 && b->region == d->region &&
                     b->met == b->predecessors &&
                     (!is_conditional(d, b) || is_predicable(d, b));

    d->critical_perhaps = continues && is_conditional(d, b);
    return continues;
}

void
critical_leave(struct decoder *d, struct code_block *blocks, const struct code_block *b)
{
    for (uint32_t i = 0; i < b->successor_count; i++) {
        struct code_block *to = &blocks[b->successors[i]];

        if (to->region != d->region)
            to->met = 0;
        to->region = d->region;
        to->met++;
        d->region_reach = to->position > d->region_reach ? to->position : d->region_reach;
    }
}

void
critical_free(struct decoder *d)
{
    free(d->critical_nodes);
    free(d->critical_writers);
}
