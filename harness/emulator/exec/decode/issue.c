/*
 * What an instruction of PTX takes of a multiprocessor, once ptxas has made machine code
 * of it: slots of the schedulers, and cycles until its result can be used.
 *
 * Slots: most instructions become one of the machine's. Moves, address conversions and
 * reads of parameters vanish into operands. Divisions, square roots and 64-bit
 * multiplications become sequences. Their lengths were counted in the machine code that
 * nvcc 13 makes for sm_90, on the path that ordinary operands take.
 *
 * Cycles are dependent-issue latencies, for which published microbenchmarks of Volta to
 * Hopper differ little. They are 4 for arithmetic, 18 to 23 for special functions, 23 to
 * 30 for shared memory and shuffles, and 33 for a tensor core's product. A load of global
 * memory has no number of cycles. It counts as a load, whose time depends on where the
 * launch's data lay (model.c).
 *
 * The row of an opcode has the slots and cycles of its most frequent form. Rows name the
 * functions here, which know the other forms.
 */
#include "opcode.h"

static bool
is_64_bit(const struct ptx_insn *in)
{
    return in->type_count != 0 && ptx_type_bytes((enum ptx_type)in->types[0]) == 8;
}

static bool
is_f64(const struct ptx_insn *in)
{
    return in->type_count != 0 && in->types[0] == PTX_f64;
}

static void
set_cost(struct issue_cost *c, uint8_t slots, uint8_t cycles)
{
    c->slots = slots;
    c->cycles = cycles;
}

/* All forms cost the same. */
void
cost_fixed(const struct ptx_insn *in, const struct issue_place *at, struct issue_cost *c)
{
    (void)in;
    (void)at;
    (void)c;
}

void
cost_arithmetic(const struct ptx_insn *in, const struct issue_place *at,
                struct issue_cost *c)
{
    (void)at;
    if (is_f64(in))
        c->cycles = 8;
}

/* mul, mad: a product of 64-bit integers is made of four. */
void
cost_product(const struct ptx_insn *in, const struct issue_place *at,
             struct issue_cost *c)
{
    if (is_64_bit(in) && !is_f64(in) && !ptx_has_mod(in, PTX_MOD_wide))
        set_cost(c, 4, 16);
    else
        cost_arithmetic(in, at, c);
}

/* The row of div is that of f32, the row of rem that of s32. */
void
cost_division(const struct ptx_insn *in, const struct issue_place *at,
              struct issue_cost *c)
{
    bool is_float = in->type_count != 0 &&
                    ptx_type_class((enum ptx_type)in->types[0]) == PTX_CLASS_FLOAT;

    (void)at;
    if (is_f64(in))
        set_cost(c, 30, 200);
    else if (!is_float && is_64_bit(in))
        set_cost(c, 80, 250);
    else if (!is_float)
        set_cost(c, 20, 80);
    else if (ptx_has_mod(in, PTX_MOD_approx))
        set_cost(c, 2, 25);
    else if (ptx_has_mod(in, PTX_MOD_full))
        set_cost(c, 4, 35);
}

/* Roots, reciprocals, powers and sines. */
void
cost_function(const struct ptx_insn *in, const struct issue_place *at,
              struct issue_cost *c)
{
    (void)at;
    if (is_f64(in))
        set_cost(c, 25, 150);
    else if (ptx_has_mod(in, PTX_MOD_approx))
        set_cost(c, 2, 20);
}

void
cost_load(const struct ptx_insn *in, const struct issue_place *at, struct issue_cost *c)
{
    switch (at->space) {
    case PTX_SPACE_PARAM: /* of a kernel: an operand; of a function: a register */
        c->slots = at->in_entry ? 0 : 1;
        break;
    case PTX_SPACE_CONST:
        c->cycles = 8;
        break;
    case PTX_SPACE_LOCAL:
        c->cycles = 33;
        break;
    case PTX_SPACE_SHARED: /* from another block of the cluster it takes 180 */
        c->cycles = ptx_has_mod(in, PTX_MOD_shared_cluster) ? 180 : 25;
        break;
    default:
        c->load = true;
        c->unordered = ptx_has_mod(in, PTX_MOD_nc);
        break;
    }
}

/* Reads of textures and surfaces. */
void
cost_fetch(const struct ptx_insn *in, const struct issue_place *at, struct issue_cost *c)
{
    (void)in;
    (void)at;
    c->load = true;
}

/* Stores, barriers and fences: later loads do not pass them. */
void
cost_ordered(const struct ptx_insn *in, const struct issue_place *at,
             struct issue_cost *c)
{
    (void)in;
    (void)at;
    c->orders = true;
}

void
cost_atomic(const struct ptx_insn *in, const struct issue_place *at, struct issue_cost *c)
{
    c->orders = true;
    if (in->op == PTX_OP_red || at->unused)
        return;
    if (at->space == PTX_SPACE_SHARED)
        set_cost(c, 2, 60);
    else
        c->load = true;
}

/* An instruction that waits for a copy has the copy's latency. */
void
cost_copy(const struct ptx_insn *in, const struct issue_place *at, struct issue_cost *c)
{
    (void)at;
    c->load = ptx_has_mod(in, PTX_MOD_wait_group) || ptx_has_mod(in, PTX_MOD_wait_all);
    c->orders = true;
}

/* wmma: a fragment that is read from global memory has a load's latency. Later loads do
 * not pass a fragment's store. */
void
cost_matrix(const struct ptx_insn *in, const struct issue_place *at, struct issue_cost *c)
{
    c->orders = ptx_has_mod(in, PTX_MOD_store);
    if (!ptx_has_mod(in, PTX_MOD_load))
        return;
    set_cost(c, 2, 25);
    if (at->space != PTX_SPACE_SHARED) {
        c->cycles = 0;
        c->load = true;
    }
}

/* Video instructions of two and four values: where they saturate, each value for itself.
 */
void
cost_packed(const struct ptx_insn *in, const struct issue_place *at, struct issue_cost *c)
{
    (void)at;
    if (ptx_has_mod(in, PTX_MOD_sat))
        set_cost(c, 27, 108);
}
