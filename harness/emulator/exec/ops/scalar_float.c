/*
 * Scalar operations of floating-point types (PTX ISA 9.7.3, 9.7.4): half precision, and
 * what the lane tables lack of single and double precision.
 */
#include "../decode/families.h"
#include "half.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

/* The bits of a floating-point type as a double, exactly. */
double
value_of(uint64_t x, enum ptx_type t)
{
    uint32_t word = (uint32_t)x;
    float f;
    double d;

    switch (t) {
    case PTX_f16:
        return small_to_double(SMALL_F16, word & 0xffff);
    case PTX_bf16:
        return small_to_double(SMALL_BF16, word & 0xffff);
    case PTX_f32:
        memcpy(&f, &word, sizeof f);
        return (double)f;
    default:
        memcpy(&d, &x, sizeof d);
        return d;
    }
}

/* Flags of s_half and s_minmax_f32. Bits 0 to 7 are the opcode. */
enum {
    HALF_BF16 = 1 << 8,
    HALF_TWO = 1 << 9, /* two halves in 32 bits */
    FLOAT_SAT = 1 << 11,
    FLOAT_RELU = 1 << 12,
    FLOAT_NAN = 1 << 13,
    FLOAT_FTZ = 1 << 14,
    FLOAT_XORSIGN = 1 << 15, /* .xorsign.abs */
    FLOAT_OOB = 1 << 16,
    FLOAT_THREE = 1 << 19, /* min, max of three operands */
};

/* The flag of s_approx_ftz_f64. */
enum { APPROX_RSQRT = 1 };

/* --- half precision (9.7.4) ---------------------------------------------- */

static double
float_minmax(double a, double b, bool want_max, bool nan)
{
    if (isnan(a) || isnan(b)) {
        if (nan || (isnan(a) && isnan(b)))
            return (double)NAN;
        return isnan(a) ? b : a;
    }
    if (a == b)
        return signbit(a) == (int)!want_max || (signbit(a) != 0) == !want_max ? a : b;
    return (a > b) == want_max ? a : b;
}

/* .xorsign.abs: of the magnitudes, with the sign of the product. */
static double
xorsign_minmax(double a, double b, bool want_max, bool nan)
{
    double r = float_minmax(fabs(a), fabs(b), want_max, nan);

    return copysign(r, (signbit(a) != 0) != (signbit(b) != 0) ? -1.0 : 1.0);
}

/* The bits of a half that is subnormal become a zero of its sign. */
static uint32_t
half_flushed(uint32_t bits, uint32_t flags)
{
    bool flushes = (flags & FLOAT_FTZ) && !(flags & HALF_BF16);

    return flushes && (bits & 0x7c00) == 0 ? bits & 0x8000 : bits;
}

static double
half_value(enum ptx_op op, double a, double b, double c, uint32_t flags)
{
    switch (op) {
    case PTX_OP_add:
        return a + b; /* of two small numbers: exact, or rounds innocuously */
    case PTX_OP_sub:
        return a - b;
    case PTX_OP_mul:
        return a * b;
    case PTX_OP_fma:
    case PTX_OP_mad:
        return fma_to_odd(a, b, c);
    case PTX_OP_min:
    case PTX_OP_max:
        return (flags & FLOAT_XORSIGN)
                   ? xorsign_minmax(a, b, op == PTX_OP_max, (flags & FLOAT_NAN) != 0)
                   : float_minmax(a, b, op == PTX_OP_max, (flags & FLOAT_NAN) != 0);
    case PTX_OP_ex2:
        return exp2(a);
    case PTX_OP_tanh:
        return tanh(a);
    default:
        return a;
    }
}

static uint32_t
half_one(const uint32_t *v, uint32_t flags)
{
    enum small_format f = (flags & HALF_BF16) ? SMALL_BF16 : SMALL_F16;
    enum ptx_op op = (enum ptx_op)(flags & 0xff);
    double x[3] = {0}, r;

    if (op == PTX_OP_neg || op == PTX_OP_abs) {
        uint32_t bits = op == PTX_OP_neg ? v[0] ^ 0x8000 : v[0] & 0x7fff;

        return isnan(small_to_double(f, v[0])) ? 0x7fff : half_flushed(bits, flags);
    }
    /* 9.7.4.4: the NaN that tensor copies fill in outside of the tensor; its bits were
     * found on an H200. */
    if ((flags & FLOAT_OOB) && ((v[0] & 0x7fff) == 0x7ff7 || (v[1] & 0x7fff) == 0x7ff7))
        return 0;
    for (unsigned i = 0; i < 3; i++)
        x[i] = small_to_double(f, half_flushed(v[i], flags));
    r = half_value(op, x[0], x[1], x[2], flags);
    if (flags & FLOAT_SAT)
        r = r > 0 ? (r < 1 ? r : 1.0) : 0.0;
    if ((flags & FLOAT_RELU) && r <= 0) /* -0 too becomes +0 */
        r = 0;
    /* Tiny after rounding, as if the exponent had no bound: less than 1 by half a unit.
     */
    if ((flags & FLOAT_FTZ) && f == SMALL_F16 && fabs(r) < 0x1p-14 * (1 - 0x1p-12))
        r = copysign(0.0, r);
    if ((flags & FLOAT_FTZ) && f == SMALL_BF16 && fabs(r) < 0x1p-126)
        r = copysign(0.0, r);
    return small_from_double(f, r, ROUND_NEAREST, false);
}

static uint64_t
s_half(const uint64_t *v, uint32_t flags)
{
    uint32_t low[3], high[3], r;

    for (unsigned i = 0; i < 3; i++) {
        low[i] = (uint32_t)v[i] & 0xffff;
        high[i] = (uint32_t)(v[i] >> 16) & 0xffff;
    }
    r = half_one(low, flags);
    return (flags & HALF_TWO) ? r | (uint64_t)half_one(high, flags) << 16 : r;
}

/* Groups of operations on halves. */
enum {
    HALF_ADD = 1,
    HALF_FMA = 2,
    HALF_SUMS = HALF_ADD | HALF_FMA,
    HALF_MINMAX = 4,
    HALF_MOVES = 8,
    HALF_EX2 = 16,
    HALF_TANH = 32,
    HALF_F16_ONLY = 64,
};

static unsigned
half_group(enum ptx_op op)
{
    switch (op) {
    case PTX_OP_fma:
        return HALF_FMA;
    case PTX_OP_min:
    case PTX_OP_max:
        return HALF_MINMAX;
    case PTX_OP_neg:
    case PTX_OP_abs:
        return HALF_MOVES;
    case PTX_OP_ex2:
        return HALF_EX2;
    case PTX_OP_tanh:
        return HALF_TANH;
    default:
        return HALF_ADD;
    }
}

static int
decode_half(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = type_read(d, in, 0);
    uint32_t flags = (uint32_t)in->op, count;
    /* The operations that take a modifier, and whether only f16 takes it. */
    static const struct {
        uint16_t mod, ops;
        uint32_t flag;
    } mods[] = {
        {PTX_MOD_sat, HALF_SUMS | HALF_F16_ONLY, FLOAT_SAT},
        {PTX_MOD_relu, HALF_FMA, FLOAT_RELU},
        {PTX_MOD_nan, HALF_MINMAX, FLOAT_NAN},
        {PTX_MOD_ftz, HALF_SUMS | HALF_MINMAX | HALF_MOVES | HALF_EX2 | HALF_F16_ONLY,
         FLOAT_FTZ},
        {PTX_MOD_rn, HALF_SUMS, 0},
        {PTX_MOD_approx, HALF_EX2 | HALF_TANH, 0},
        {PTX_MOD_oob, HALF_FMA, FLOAT_OOB},
        {PTX_MOD_xorsign, HALF_MINMAX, 0},
        {PTX_MOD_abs, HALF_MINMAX, FLOAT_XORSIGN},
    };

    switch (in->op) {
    case PTX_OP_neg:
    case PTX_OP_abs:
    case PTX_OP_ex2:
    case PTX_OP_tanh:
        count = 1;
        break;
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_min:
    case PTX_OP_max:
        count = 2;
        break;
    case PTX_OP_fma:
        count = 3;
        break;
    default:
        return -1;
    }
    flags |= t == PTX_bf16 || t == PTX_bf16x2 ? HALF_BF16 : 0;
    for (size_t i = 0; i < sizeof mods / sizeof *mods; i++) {
        bool fits = (mods[i].ops & half_group(in->op)) != 0 &&
                    (!(flags & HALF_BF16) || (mods[i].ops & HALF_F16_ONLY) == 0 ||
                     in->op == PTX_OP_ex2);

        if (fits && mod_read(d, in, (enum ptx_mod)mods[i].mod))
            flags |= mods[i].flag;
    }
    if ((flags & FLOAT_SAT) && (flags & FLOAT_RELU))
        return -1;
    if (((flags & FLOAT_XORSIGN) != 0) != ptx_has_mod(in, PTX_MOD_xorsign))
        return -1; /* .xorsign stands before .abs only */
    flags |= t == PTX_f16x2 || t == PTX_bf16x2 ? HALF_TWO : 0;
    count_work(d, WORK_FP16,
               (in->op == PTX_OP_fma ? 2u : 1u) << ((flags & HALF_TWO) != 0));
    t = (flags & HALF_TWO) ? PTX_b32 : PTX_b16;
    return emit_scalar(d, in, s_half, flags, t, (enum ptx_type[]){t, t, t}, count);
}

/* --- single and double precision, what the tables lack ------------------- */

/* rsqrt.approx.f64 without .ftz (9.7.3.16) has the whole mantissa, and subnormals. */
static uint64_t
s_rsqrt_f64(const uint64_t *v, uint32_t flags)
{
    double r = (double)(1.0L / sqrtl((long double)value_of(v[0], PTX_f64)));
    uint64_t bits;

    (void)flags;
    memcpy(&bits, &r, sizeof bits);
    if (isnan(r)) /* the operand's, made quiet, or that of an invalid operation */
        return v[0] << 1 > 0xffe0000000000000u ? v[0] | 0x0008000000000000u
                                               : 0xfff8000000000000u;
    return bits;
}

/* rcp and rsqrt.approx.ftz.f64 (9.7.3.14, .17): gross approximations, of the upper word
 * of the operand to the upper word of the result. */
static uint64_t
s_approx_ftz_f64(const uint64_t *v, uint32_t flags)
{
    double x = value_of(v[0] & 0xffffffff00000000u, PTX_f64), r;
    uint64_t bits;

    if (fabs(x) < 0x1p-1022)
        x = copysign(0.0, x);
    r = (flags & APPROX_RSQRT) ? 1.0 / sqrt(x) : 1.0 / x;
    if (isnan(r))
        return 0x7fffffff00000000u;
    if (fabs(r) < 0x1p-1022)
        r = copysign(0.0, r);
    memcpy(&bits, &r, sizeof bits);
    return bits & 0xffffffff00000000u;
}

/* min, max with .NaN, .xorsign.abs or three operands. */
static uint64_t
s_minmax_f32(const uint64_t *v, uint32_t flags)
{
    bool want_max = (flags & 0xff) == PTX_OP_max, nan = (flags & FLOAT_NAN) != 0;
    double x[3] = {0}, r;
    uint32_t bits;
    float f;

    for (unsigned i = 0; i < 3; i++) {
        x[i] = value_of(v[i], PTX_f32);
        if ((flags & FLOAT_FTZ) && fabs(x[i]) < 0x1p-126)
            x[i] = copysign(0.0, x[i]);
    }
    r = (flags & FLOAT_XORSIGN) ? xorsign_minmax(x[0], x[1], want_max, nan)
                                : float_minmax(x[0], x[1], want_max, nan);
    if (flags & FLOAT_THREE)
        r = (flags & FLOAT_XORSIGN) ? xorsign_minmax(r, x[2], want_max, nan)
                                    : float_minmax(r, x[2], want_max, nan);
    if (isnan(r))
        return 0x7fffffff;
    f = (float)r;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static int
decode_float_minmax(struct decoder *d, const struct ptx_insn *in)
{
    uint32_t flags = (uint32_t)in->op;

    if (mod_read(d, in, PTX_MOD_nan))
        flags |= FLOAT_NAN;
    if (mod_read(d, in, PTX_MOD_ftz))
        flags |= FLOAT_FTZ;
    if (mod_read(d, in, PTX_MOD_xorsign)) {
        if (!mod_read(d, in, PTX_MOD_abs))
            return -1;
        flags |= FLOAT_XORSIGN;
    }
    if (in->operand_count == 4)
        flags |= FLOAT_THREE;
    count_work(d, WORK_FP32, 1);
    return emit_scalar(d, in, s_minmax_f32, flags, PTX_f32,
                       (enum ptx_type[]){PTX_f32, PTX_f32, PTX_f32},
                       in->operand_count - 1u);
}

int
decode_scalar_float(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = type_read(d, in, 0);

    if (t == PTX_f16 || t == PTX_bf16 || t == PTX_f16x2 || t == PTX_bf16x2)
        return decode_half(d, in);
    if (t == PTX_f64 && (in->op == PTX_OP_rcp || in->op == PTX_OP_rsqrt)) {
        count_work(d, WORK_SFU, 1);
        if (!mod_read(d, in, PTX_MOD_approx))
            return -1;
        if (!mod_read(d, in, PTX_MOD_ftz) && in->op == PTX_OP_rcp)
            return -1;
        if (in->op == PTX_OP_rsqrt && !ptx_has_mod(in, PTX_MOD_ftz))
            return emit_scalar(d, in, s_rsqrt_f64, 0, t, &t, 1);
        return emit_scalar(d, in, s_approx_ftz_f64,
                           in->op == PTX_OP_rsqrt ? APPROX_RSQRT : 0, t, &t, 1);
    }
    if (t == PTX_f32 && (in->op == PTX_OP_min || in->op == PTX_OP_max))
        return decode_float_minmax(d, in);
    return -1;
}
