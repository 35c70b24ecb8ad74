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

static unsigned
environment_bits(const struct ptx_insn *in)
{
    unsigned bits = 0;

    if (ptx_has_mod(in, PTX_MOD_rz))
        bits |= _MM_ROUND_TOWARD_ZERO;
    else if (ptx_has_mod(in, PTX_MOD_rm))
        bits |= _MM_ROUND_DOWN;
    else if (ptx_has_mod(in, PTX_MOD_rp))
        bits |= _MM_ROUND_UP;
    if (ptx_has_mod(in, PTX_MOD_ftz))
        bits |= _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON;
    return bits;
}

static void
wrap_environment(const struct ptx_insn *in, enum ptx_type type, struct insn *out)
{
    unsigned bits = environment_bits(in);
    bool sat = ptx_has_mod(in, PTX_MOD_sat) && type == PTX_f32;

    if ((type != PTX_f32 && type != PTX_f64) || (bits == 0 && !sat))
        return;
    out->inner = out->fn;
    out->fn = op_environment;
    out->x = bits;
    out->y = sat ? ENV_SAT : 0;
    /* These move bits and compute nothing that the processor would flush. */
    if (ptx_has_mod(in, PTX_MOD_ftz) && (in->op == PTX_OP_neg || in->op == PTX_OP_abs ||
                                         in->op == PTX_OP_min || in->op == PTX_OP_max))
        out->y |= ENV_FLUSH;
}

/* --- arithmetic ---------------------------------------------------------- */

/* Operations with .approx and .full are computed exactly, which is within every bound. */
static bool
plain_form(const struct ptx_insn *in, enum ptx_type type)
{
    bool is_float = type == PTX_f32 || type == PTX_f64;

    for (unsigned i = 0; i < in->mod_count; i++) {
        switch ((enum ptx_mod)in->mods[i]) {
        case PTX_MOD_rn:
        case PTX_MOD_rz:
        case PTX_MOD_rm:
        case PTX_MOD_rp:
        case PTX_MOD_ftz:
            if (!is_float)
                return false;
            break;
        case PTX_MOD_sat:
            if (type != PTX_f32)
                return false;
            break;
        case PTX_MOD_approx:
        case PTX_MOD_full:
            if (type != PTX_f32)
                return false;
            break;
        case PTX_MOD_lo:
        case PTX_MOD_hi:
        case PTX_MOD_wide:
            break;
        default:
            return false;
        }
    }
    return true;
}

/* Decodes an operation that the lane tables have. */
static int
decode_lanes(struct decoder *d, const struct ptx_insn *in)
{
    unsigned total = opcode_of(in->op)->least;
    enum ptx_type type = (enum ptx_type)in->types[0];
    bool wide = ptx_has_mod(in, PTX_MOD_wide), hi = ptx_has_mod(in, PTX_MOD_hi);
    struct lane_key key = {in->op, type, PTX_TYPE_NONE,
                           wide ? LANE_WIDE
                           : hi ? LANE_HI
                                : LANE_PLAIN};
    uint32_t bytes = register_bytes(type);
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};

    if (in->operand_count != total || !plain_form(in, type) ||
        in->type_count != (in->op == PTX_OP_dp4a ? 2 : 1))
        return -1;
    if (in->op == PTX_OP_dp4a)
        key.from = (enum ptx_type)in->types[1];
    if (in->op == PTX_OP_mad && (type == PTX_f32 || type == PTX_f64))
        key.op = PTX_OP_fma;
    if (in->op == PTX_OP_div && ptx_has_mod(in, PTX_MOD_approx))
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
    wrap_environment(in, type, &out);
    count_unit(d, in);
    *emit(d, out.fn) = out;
    return 0;
}

int
decode_arithmetic(struct decoder *d, const struct ptx_insn *in)
{
    if (decode_lanes(d, in) == 0)
        return 0;
    if (in->type_count == 0)
        return -1;
    if (ptx_has_mod(in, PTX_MOD_cc))
        return decode_carry(d, in);
    if (decode_scalar_float(d, in) == 0 || decode_single(d, in) == 0)
        return 0;
    return decode_integers(d, in);
}
