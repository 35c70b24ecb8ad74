/*
 * Decodes arithmetic and logic on whole lane vectors (PTX ISA 9.7.1 to 9.7.8). What the
 * lane tables do not have is done a lane at a time: in scalar_float.c, scalar_single.c
 * and integer.c, or with carries in carry.c.
 */
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "../warp.h"

#include <pmmintrin.h>

/* --- floating-point environment ------------------------------------------ */

enum { ENV_SAT = 1, ENV_FLUSH = 2 };

/* An operation with another rounding mode, with .ftz or with .sat: x = bits of MXCSR,
 * y = ENV_*, inner = the plain handler. FTZ and DAZ of x86 together are exactly .ftz. */
static const struct insn *
op_environment(struct warp *w, const struct insn *in)
{
    unsigned saved = _mm_getcsr();
    const struct insn *next;

    _mm_setcsr((saved & ~(unsigned)_MM_ROUND_MASK) | in->x);
    __asm__ volatile("" ::: "memory");
    next = in->inner(w, in);
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(saved);
    if (in->y & ENV_SAT) {
        float *d = (float *)(void *)(w->regs + in->d);

        /* 9.7.3: .sat clamps to [0, 1]; NaN becomes +0. */
        for (uint32_t m = w->mask; m != 0; m &= m - 1) {
            int i = __builtin_ctz(m);

            d[i] = d[i] > 0.0f ? (d[i] < 1.0f ? d[i] : 1.0f) : 0.0f;
        }
    }
    if (in->y & ENV_FLUSH) {
        uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);

        for (uint32_t m = w->mask; m != 0; m &= m - 1) {
            int i = __builtin_ctz(m);

            d[i] = (d[i] & 0x7f800000) == 0 ? d[i] & 0x80000000 : d[i];
        }
    }
    return next;
}

/* Wraps an operation on f32 or f64. The mode is .rn, .approx, .full or PTX_MOD_UNKNOWN
 * where it is to the nearest. */
static void
wrap_environment(struct decoder *d, const struct ptx_insn *in, enum ptx_type type,
                 enum ptx_mod mode, struct insn *out)
{
    bool moves = in->op == PTX_OP_neg || in->op == PTX_OP_abs || in->op == PTX_OP_min ||
                 in->op == PTX_OP_max;
    bool sums = in->op == PTX_OP_add || in->op == PTX_OP_sub || in->op == PTX_OP_mul ||
                in->op == PTX_OP_fma || in->op == PTX_OP_mad;
    bool ftz = type == PTX_f32 && in->op != PTX_OP_copysign && in->op != PTX_OP_tanh &&
               mod_read(d, in, PTX_MOD_ftz);
    bool sat = type == PTX_f32 && sums && mod_read(d, in, PTX_MOD_sat);
    unsigned bits = mode == PTX_MOD_rz   ? _MM_ROUND_TOWARD_ZERO
                    : mode == PTX_MOD_rm ? _MM_ROUND_DOWN
                    : mode == PTX_MOD_rp ? _MM_ROUND_UP
                                         : _MM_ROUND_NEAREST;

    if (ftz)
        bits |= _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON;
    if (bits == 0 && !sat)
        return;
    out->inner = out->fn;
    out->fn = op_environment;
    out->x = bits;
    out->y = sat ? ENV_SAT : 0;
    /* These move bits and compute nothing that the processor would flush. */
    if (ftz && moves)
        out->y |= ENV_FLUSH;
}

/* --- arithmetic ---------------------------------------------------------- */

/* Reads how an operation on floats rounds. Operations with .approx and .full are computed
 * exactly, which is within every bound. */
static enum ptx_mod
rounding_read(struct decoder *d, const struct ptx_insn *in, enum ptx_type type)
{
    bool is_single = type == PTX_f32;

    switch (in->op) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_fma:
    case PTX_OP_mad:
        break;
    case PTX_OP_div:
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
        if (is_single && mod_read(d, in, PTX_MOD_approx))
            return PTX_MOD_approx;
        if (is_single && in->op == PTX_OP_div && mod_read(d, in, PTX_MOD_full))
            return PTX_MOD_full;
        break;
    case PTX_OP_rsqrt:
    case PTX_OP_sin:
    case PTX_OP_cos:
    case PTX_OP_lg2:
    case PTX_OP_ex2:
    case PTX_OP_tanh:
        return is_single && mod_read(d, in, PTX_MOD_approx) ? PTX_MOD_approx
                                                            : PTX_MOD_UNKNOWN;
    default:
        return PTX_MOD_UNKNOWN;
    }
    return MOD_READ_ANY(d, in, PTX_MOD_rn, PTX_MOD_rz, PTX_MOD_rm, PTX_MOD_rp);
}

/* Decodes an operation that the lane tables have. */
static int
decode_lanes(struct decoder *d, const struct ptx_insn *in)
{
    unsigned total = opcode_of(in->op)->least;
    enum ptx_type type = type_read(d, in, 0);
    bool is_float = type == PTX_f32 || type == PTX_f64;
    bool has_parts = !is_float && (in->op == PTX_OP_mul || in->op == PTX_OP_mad);
    enum ptx_mod part = has_parts
                            ? MOD_READ_ANY(d, in, PTX_MOD_lo, PTX_MOD_hi, PTX_MOD_wide)
                            : PTX_MOD_lo;
    enum ptx_mod mode = is_float ? rounding_read(d, in, type) : PTX_MOD_UNKNOWN;
    bool wide = part == PTX_MOD_wide;
    struct lane_key key = {in->op, type, PTX_TYPE_NONE,
                           wide                 ? LANE_WIDE
                           : part == PTX_MOD_hi ? LANE_HI
                                                : LANE_PLAIN};
    uint32_t bytes = register_bytes(type);
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};

    if (in->operand_count != total || part == PTX_MOD_UNKNOWN ||
        !operand_fits(&o[0], type) || in->type_count != (in->op == PTX_OP_dp4a ? 2 : 1))
        return -1;
    if (in->op == PTX_OP_dp4a)
        key.from = type_read(d, in, 1);
    if (in->op == PTX_OP_mad && (type == PTX_f32 || type == PTX_f64))
        key.op = PTX_OP_fma;
    if (in->op == PTX_OP_div && mode == PTX_MOD_approx)
        key.variant = LANE_APPROX;
    out.fn = lane_handler(d, key);
    if (out.fn == NULL)
        return -1;
    out.d = destination(d, &o[0], wide ? bytes * 2 : bytes);
    out.a = source(d, &o[1], type);
    if (total > 2)
        out.b = source(d, &o[2],
                       in->op == PTX_OP_shl || in->op == PTX_OP_shr ? PTX_u32 : type);
    if (total > 3)
        out.c = source(d, &o[3], !wide ? type : bytes == 2 ? PTX_u32 : PTX_u64);
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX ||
        out.c == UINT32_MAX)
        return -1;
    if (is_float)
        wrap_environment(d, in, type, mode, &out);
    if (mod_unread(d, in) != PTX_MOD_UNKNOWN) /* a form that the lane tables lack */
        return -1;
    count_unit(d, in);
    *emit(d, out.fn) = out;
    return 0;
}

int
decode_arithmetic(struct decoder *d, const struct ptx_insn *in)
{
    int (*const ways[])(struct decoder *, const struct ptx_insn *) = {
        decode_lanes, decode_scalar_float, decode_single, decode_integers};

    if (in->type_count == 0)
        return -1;
    if (ptx_has_mod(in, PTX_MOD_cc))
        return decode_carry(d, in);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        reading_begin(d, in);
        if (ways[i](d, in) == 0)
            return 0;
    }
    return -1;
}
