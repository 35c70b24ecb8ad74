/*
 * What an instruction of PTX takes of a multiprocessor, once ptxas has made machine code
 * of it: slots of the schedulers, and cycles until its result can be used.
 *
 * Slots. Most instructions become one of the machine's. Moves, address conversions and
 * reads of parameters vanish into operands; divisions, square roots and 64-bit
 * multiplications become sequences, whose lengths were counted in the machine code that
 * nvcc 13 makes for sm_90 (the path that ordinary operands take).
 *
 * Cycles. Dependent-issue latencies, which published microbenchmarks give for Volta to
 * Hopper with little difference: 4 for arithmetic, 18 to 23 for special functions, 23 to
 * 30 for shared memory and shuffles, 33 for a tensor core's product. A load of global
 * memory is no number of cycles: it counts as a load, and what one takes depends on where
 * the launch's data lay (model.c).
 */
#include "critical.h"

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

static struct issue_cost
cost_of_division(const struct ptx_insn *in)
{
    bool is_float = in->type_count != 0 &&
                    ptx_type_class((enum ptx_type)in->types[0]) == PTX_CLASS_FLOAT;

    if (is_f64(in))
        return (struct issue_cost){.slots = 30, .cycles = 200};
    if (!is_float)
        return is_64_bit(in) ? (struct issue_cost){.slots = 80, .cycles = 250}
                             : (struct issue_cost){.slots = 20, .cycles = 80};
    if (ptx_has_mod(in, PTX_MOD_approx))
        return (struct issue_cost){.slots = 2, .cycles = 25};
    if (ptx_has_mod(in, PTX_MOD_full))
        return (struct issue_cost){.slots = 4, .cycles = 35};
    return (struct issue_cost){.slots = 9, .cycles = 60};
}

static struct issue_cost
cost_of_function(const struct ptx_insn *in)
{
    if (is_f64(in))
        return (struct issue_cost){.slots = 25, .cycles = 150};
    if (ptx_has_mod(in, PTX_MOD_approx))
        return (struct issue_cost){.slots = 2, .cycles = 20};
    return (struct issue_cost){.slots = 8, .cycles = 50};
}

static struct issue_cost
cost_of_load(const struct ptx_insn *in, enum ptx_space space, bool in_entry)
{
    switch (space) {
    case PTX_SPACE_PARAM: /* of a kernel: an operand; of a function: a register */
        return (struct issue_cost){.slots = in_entry ? 0 : 1};
    case PTX_SPACE_CONST:
        return (struct issue_cost){.slots = 1, .cycles = 8};
    case PTX_SPACE_LOCAL:
        return (struct issue_cost){.slots = 1, .cycles = 33};
    case PTX_SPACE_SHARED:
        return (struct issue_cost){.slots = 1, .cycles = 25};
    default:
        return (struct issue_cost){
            .slots = 1, .load = true, .unordered = ptx_has_mod(in, PTX_MOD_nc)};
    }
}

static struct issue_cost
cost_of_atomic(const struct ptx_insn *in, enum ptx_space space, bool unused)
{
    if (in->op == PTX_OP_red || unused)
        return (struct issue_cost){.slots = 1, .orders = true};
    if (space == PTX_SPACE_SHARED)
        return (struct issue_cost){.slots = 2, .cycles = 60, .orders = true};
    return (struct issue_cost){.slots = 1, .load = true, .orders = true};
}

struct issue_cost
issue_cost(const struct ptx_insn *in, enum ptx_space space, bool in_entry, bool unused)
{
    switch (in->op) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
    case PTX_OP_pmevent:
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
        return (struct issue_cost){0};
    case PTX_OP_div:
    case PTX_OP_rem:
        return cost_of_division(in);
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
    case PTX_OP_ex2:
    case PTX_OP_lg2:
    case PTX_OP_sin:
    case PTX_OP_cos:
    case PTX_OP_tanh:
        return cost_of_function(in);
    case PTX_OP_ld:
    case PTX_OP_ldu:
        return cost_of_load(in, space, in_entry);
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_suld:
        return (struct issue_cost){.slots = 1, .load = true};
    case PTX_OP_st:
    case PTX_OP_sust:
        return (struct issue_cost){.slots = 1, .orders = true};
    case PTX_OP_atom:
    case PTX_OP_red:
        return cost_of_atomic(in, space, unused);
    case PTX_OP_cp: /* what waits for a copy has its latency */
        return (struct issue_cost){.slots = 1,
                                   .load = ptx_has_mod(in, PTX_MOD_wait_group) ||
                                           ptx_has_mod(in, PTX_MOD_wait_all),
                                   .orders = true};
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_membar:
    case PTX_OP_fence:
        return (struct issue_cost){.slots = 1, .cycles = 25, .orders = true};
    case PTX_OP_shfl:
    case PTX_OP_redux:
    case PTX_OP_match:
    case PTX_OP_ldmatrix:
        return (struct issue_cost){.slots = 1, .cycles = 25};
    case PTX_OP_mma:
    case PTX_OP_wmma:
    case PTX_OP_wgmma:
        return (struct issue_cost){.slots = 2, .cycles = 33};
    case PTX_OP_mul:
    case PTX_OP_mad:
        if (is_64_bit(in) && !is_f64(in) && !ptx_has_mod(in, PTX_MOD_wide))
            return (struct issue_cost){.slots = 4, .cycles = 16};
        break;
    default:
        break;
    }
    return (struct issue_cost){.slots = 1, .cycles = is_f64(in) ? 8 : 4};
}
