/* Integer arithmetic that the lane tables lack, a lane at a time (PTX ISA 9.7.1). */
#include "../decode/families.h"
#include "scalar.h"

/* Flags of all functions but s_dp: the width in bits, and the modifiers. */
enum {
    WIDTH = 0x7f,
    SIGNED = 0x80,
    RELU = 0x400, /* min, max: not below 0 */
    HIGH = 0x800, /* mul24, mad24 */
    SATURATE = 0x1000,
    MAXIMUM = 0x2000, /* max, not min */
    SUBTRACT = 0x4000 /* sub, not add */
};

static uint64_t
s_sad(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH;

    if (flags & SIGNED) {
        int64_t a = sign_extend(v[0], bits), b = sign_extend(v[1], bits);

        return v[2] + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b);
    }
    return v[2] + (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]);
}

static uint64_t
clamp_s32(int64_t x)
{
    return (uint64_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* mul24, mad24: v[2] is 0 for mul24. */
static uint64_t
s_mul24(const uint64_t *v, uint32_t flags)
{
    uint64_t product;

    if (flags & SIGNED)
        product = (uint64_t)(sign_extend(v[0], 24) * sign_extend(v[1], 24));
    else
        product = (v[0] & 0xffffff) * (v[1] & 0xffffff);
    if (flags & SATURATE)
        return clamp_s32((int64_t)(int32_t)(product >> 16) + (int32_t)v[2]);
    return ((flags & HIGH) ? product >> 16 : product) + v[2];
}

static uint64_t
s_add_sat(const uint64_t *v, uint32_t flags)
{
    int64_t a = (int32_t)v[0], b = (int32_t)v[1];

    return clamp_s32((flags & SUBTRACT) ? a - b : a + b);
}

static uint64_t
s_mad_hi_sat(const uint64_t *v, uint32_t flags)
{
    (void)flags;
    return clamp_s32(((int64_t)(int32_t)v[0] * (int32_t)v[1] >> 32) + (int32_t)v[2]);
}

/* Flags of s_dp. */
enum {
    DP_A_SIGNED = 1,
    DP_B_SIGNED = 2,
    DP_TWO = 4 /* dp2a */,
    DP_HIGH = 8 /* dp2a.hi */
};

/* dp4a and dp2a (9.7.1.23, .24). */
static uint64_t
s_dp(const uint64_t *v, uint32_t flags)
{
    uint32_t sum = (uint32_t)v[2];
    unsigned n = (flags & DP_TWO) ? 2 : 4, abits = (flags & DP_TWO) ? 16 : 8;

    for (unsigned i = 0; i < n; i++) {
        uint64_t a = v[0] >> (abits * i) & ((1u << abits) - 1);
        uint64_t b = v[1] >> (8 * (i + ((flags & DP_HIGH) ? 2 : 0))) & 0xff;
        int64_t x = (flags & DP_A_SIGNED) ? sign_extend(a, abits) : (int64_t)a;
        int64_t y = (flags & DP_B_SIGNED) ? sign_extend(b, 8) : (int64_t)b;

        sum += (uint32_t)(x * y);
    }
    return sum;
}

/* min (MAXIMUM: max) of s32 or of two halves (flags: the width). */
static uint64_t
s_minmax(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH;
    uint64_t r = 0, top = ((uint64_t)1 << bits) - 1;

    for (unsigned i = 0; i < 32; i += bits) {
        uint64_t ua = v[0] >> i & top, ub = v[1] >> i & top;
        int64_t a = (flags & SIGNED) ? sign_extend(ua, bits) : (int64_t)ua;
        int64_t b = (flags & SIGNED) ? sign_extend(ub, bits) : (int64_t)ub;
        int64_t x = ((flags & MAXIMUM) ? a > b : a < b) ? a : b;

        if ((flags & RELU) && x < 0)
            x = 0;
        r |= ((uint64_t)x & top) << i;
    }
    return r;
}

/* add.u16x2 and the like */
static uint64_t
s_add_x2(const uint64_t *v, uint32_t flags)
{
    (void)flags;
    return ((v[0] + v[1]) & 0xffff) | (((v[0] >> 16) + (v[1] >> 16)) & 0xffff) << 16;
}

/* --- decoding ------------------------------------------------------------ */

int
decode_integers(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = type_read(d, in, 0);
    bool is_signed = ptx_type_class(t) == PTX_CLASS_SINT, sat = false;
    uint32_t flags = ptx_type_bytes(t) * 8 | (is_signed ? SIGNED : 0);
    const enum ptx_type three[] = {t, t, t};
    enum ptx_mod part = PTX_MOD_lo;
    bool relu;

    if (in->op == PTX_OP_mul24 || in->op == PTX_OP_mad24 || in->op == PTX_OP_mad ||
        in->op == PTX_OP_dp2a)
        part = MOD_READ_ANY(d, in, PTX_MOD_lo, PTX_MOD_hi);
    if (part == PTX_MOD_UNKNOWN)
        return -1;
    flags |= part == PTX_MOD_hi ? HIGH : 0;
    if (in->op == PTX_OP_mad24 || in->op == PTX_OP_mad || in->op == PTX_OP_add ||
        in->op == PTX_OP_sub)
        sat = mod_read(d, in, PTX_MOD_sat);
    count_work(d, WORK_INT, 1);
    switch (in->op) {
    case PTX_OP_sad:
        return emit_scalar(d, in, s_sad, flags, t, three, 3);
    case PTX_OP_mul24:
        return emit_scalar(d, in, s_mul24, flags, t, three, 2);
    case PTX_OP_mad24:
        if (sat && !(is_signed && (flags & HIGH)))
            return -1;
        return emit_scalar(d, in, s_mul24, flags | (sat ? SATURATE : 0), t, three, 3);
    case PTX_OP_add:
    case PTX_OP_sub:
        if (t == PTX_u16x2 || t == PTX_s16x2)
            return in->op == PTX_OP_add && !sat
                       ? emit_scalar(d, in, s_add_x2, 0, t, three, 2)
                       : -1;
        return sat && t == PTX_s32
                   ? emit_scalar(d, in, s_add_sat, in->op == PTX_OP_sub ? SUBTRACT : 0, t,
                                 three, 2)
                   : -1;
    case PTX_OP_mad:
        return sat && t == PTX_s32 && (flags & HIGH)
                   ? emit_scalar(d, in, s_mad_hi_sat, 0, t, three, 3)
                   : -1;
    case PTX_OP_min:
    case PTX_OP_max:
        if (t != PTX_s16x2 && t != PTX_u16x2 && t != PTX_s32)
            return -1;
        flags = (t != PTX_u16x2 ? SIGNED : 0) | (in->op == PTX_OP_max ? MAXIMUM : 0) |
                (t == PTX_s32 ? 32 : 16);
        relu = t != PTX_u16x2 && mod_read(d, in, PTX_MOD_relu);
        return emit_scalar(d, in, s_minmax, flags | (relu ? RELU : 0), t, three, 2);
    case PTX_OP_dp4a:
    case PTX_OP_dp2a:
        flags = is_signed ? DP_A_SIGNED : 0;
        if (ptx_type_class(type_read(d, in, 1)) == PTX_CLASS_SINT)
            flags |= DP_B_SIGNED;
        if (in->op == PTX_OP_dp2a)
            flags |= DP_TWO;
        if (part == PTX_MOD_hi)
            flags |= DP_HIGH;
        return emit_scalar(d, in, s_dp, flags, PTX_b32,
                           (enum ptx_type[]){PTX_b32, PTX_b32, PTX_b32}, 3);
    default:
        return -1;
    }
}
