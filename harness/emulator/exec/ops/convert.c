/*
 * cvt (PTX ISA 9.7.9.21) for all types, a lane at a time. The lane tables have the
 * frequent conversions.
 */
#include "convert.h"
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "half.h"
#include "scalar.h"

#include <math.h>
#include <string.h>
#include <xmmintrin.h>

static double
round_integral(double v, enum rounding r)
{
    switch (r) {
    case ROUND_ZERO:
        return trunc(v);
    case ROUND_DOWN:
        return floor(v);
    case ROUND_UP:
        return ceil(v);
    default:
        return rint(v);
    }
}

static double
flush(double v)
{
    return fabs(v) < 0x1p-126 ? copysign(0.0, v) : v;
}

static double
read_float(uint64_t bits, enum ptx_type t, bool ftz)
{
    uint32_t word = (uint32_t)bits;
    float f;
    double v;

    switch (t) {
    case PTX_f16:
        return small_to_double(SMALL_F16, word);
    case PTX_bf16:
        return small_to_double(SMALL_BF16, word);
    case PTX_f32:
        memcpy(&f, &word, sizeof f);
        return ftz ? flush((double)f) : (double)f;
    default:
        memcpy(&v, &bits, sizeof v);
        return v;
    }
}

/* The bits of the float to which a double is rounded. */
static uint32_t
narrow(double v, enum rounding r)
{
    static const unsigned modes[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO,
                                     _MM_ROUND_DOWN, _MM_ROUND_UP, _MM_ROUND_NEAREST};
    unsigned saved = _mm_getcsr();
    volatile double in = v;
    volatile float out;
    float f;
    uint32_t word;

    _mm_setcsr((saved & ~(unsigned)_MM_ROUND_MASK) | modes[r]);
    out = (float)in;
    _mm_setcsr(saved);
    f = out;
    memcpy(&word, &f, sizeof word);
    return f == f ? word : 0x7fffffff;
}

static uint64_t
write_float(double v, enum ptx_type t, uint32_t flags)
{
    enum rounding r = (enum rounding)(flags >> CVT_ROUND & 7);
    bool satfinite = (flags & CVT_SATFINITE) != 0;
    uint64_t bits;
    uint32_t word;

    if (flags & CVT_INTEGRAL) {
        v = round_integral(v, r);
        r = ROUND_NEAREST;
    }
    if (flags & CVT_SAT)
        v = v > 0 ? (v < 1 ? v : 1.0) : 0.0;
    if ((flags & CVT_RELU) && v <= 0) /* -0 too becomes +0 */
        v = 0;
    switch (t) {
    case PTX_f16:
        return small_from_double(SMALL_F16, v, r, satfinite);
    case PTX_bf16:
        return small_from_double(SMALL_BF16, v, r, satfinite);
    case PTX_tf32: /* a float whose low 13 bits are zero */
        word = small_from_double(SMALL_TF32, v, r, satfinite);
        return (uint64_t)word << 13;
    case PTX_f32:
        word = narrow(v, r);
        if ((flags & CVT_FTZ) && (word & 0x7f800000) == 0)
            word &= 0x80000000;
        return word;
    default:
        memcpy(&bits, &v, sizeof bits);
        return bits;
    }
}

static unsigned
bits_of(enum ptx_type t)
{
    return ptx_type_bytes(t) * 8;
}

static bool
is_signed(enum ptx_type t)
{
    return ptx_type_class(t) == PTX_CLASS_SINT;
}

/* 9.7.9.21: a number out of range is clamped. NaN becomes 0, or the middle of the range
 * where 64 bits are involved. */
static uint64_t
float_to_int(double v, enum ptx_type from, enum ptx_type to, uint32_t flags)
{
    unsigned bits = bits_of(to);
    enum rounding r = (enum rounding)(flags >> CVT_ROUND & 7);
    double limit = ldexp(1.0, (int)bits - (is_signed(to) ? 1 : 0));

    if (isnan(v))
        return from == PTX_f64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
    v = round_integral(v, r);
    if (is_signed(to)) {
        if (v >= limit)
            return ((uint64_t)1 << (bits - 1)) - 1;
        if (v < -limit)
            return (uint64_t)1 << (bits - 1);
        return (uint64_t)(int64_t)v;
    }
    if (v >= limit)
        return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return v <= 0 ? 0 : (uint64_t)v;
}

/* An integer as a double that rounds to any narrower format as the integer would. The
 * bits that do not fit leave a sticky one. */
static double
int_to_odd(uint64_t magnitude, bool negative)
{
    double v;

    if (magnitude >> 53 != 0) {
        uint64_t low = magnitude & 0xfff;

        magnitude = (magnitude & ~(uint64_t)0xfff) | (low != 0 ? (uint64_t)1 << 12 : 0);
    }
    v = (double)magnitude;
    return negative ? -v : v;
}

static uint64_t
int_to_float(uint64_t x, bool negative, enum ptx_type to, uint32_t flags)
{
    static const unsigned modes[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO,
                                     _MM_ROUND_DOWN, _MM_ROUND_UP, _MM_ROUND_NEAREST};
    uint64_t magnitude = negative ? 0 - x : x;

    if (to == PTX_f64) {
        unsigned saved = _mm_getcsr();
        volatile int64_t s = (int64_t)x;
        volatile uint64_t u = magnitude;
        volatile double out;

        _mm_setcsr((saved & ~(unsigned)_MM_ROUND_MASK) | modes[flags >> CVT_ROUND & 7]);
        out = negative ? (double)s : (double)u;
        _mm_setcsr(saved);
        return write_float(out, to, flags);
    }
    return write_float(int_to_odd(magnitude, negative), to, flags);
}

uint64_t
convert_integer(uint64_t x, bool negative, enum ptx_type to, bool sat)
{
    unsigned bits = bits_of(to);
    uint64_t top = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;

    if (!sat)
        return x;
    if (is_signed(to)) {
        int64_t high = (int64_t)(top >> 1), low = -high - 1;

        if (!negative && x > (uint64_t)high)
            return (uint64_t)high;
        return negative && (int64_t)x < low ? (uint64_t)low : x;
    }
    return negative ? 0 : x > top ? top : x;
}

/* --- NaNs and tf32, as an H200 has them ---------------------------------- */

static unsigned
mantissa_bits(enum ptx_type t)
{
    return t == PTX_f64 ? 52 : t == PTX_f32 ? 23 : t == PTX_f16 ? 10 : 7;
}

static bool
is_nan_of(uint64_t x, enum ptx_type t)
{
    return ptx_type_class(t) == PTX_CLASS_FLOAT && isnan(read_float(x, t, false));
}

/* Where double precision is involved, a NaN keeps its sign and becomes quiet. It keeps as
 * much of its payload as fits. With .ftz of f32 it goes through the canonical NaN. */
static uint64_t
nan_with_payload(uint64_t x, enum ptx_type from, enum ptx_type to, bool ftz)
{
    unsigned in = mantissa_bits(from), out = mantissa_bits(to);
    uint64_t sign = x >> (bits_of(from) - 1) & 1;
    uint64_t exponent = ((uint64_t)1 << (bits_of(to) - 1 - out)) - 1;
    uint64_t payload = x & (((uint64_t)1 << in) - 1);

    if (from == PTX_f32 && ftz)
        return 0x7fffffffe0000000u;
    payload = out >= in ? payload << (out - in) : payload >> (in - out);
    return sign << (bits_of(to) - 1) | exponent << out | (uint64_t)1 << (out - 1) |
           payload;
}

/* cvt.rna.tf32.f32: half of the lowest unit is added to the bits, and the 13 bits below
 * are cut off. Infinity and NaN are only cut; .satfinite takes one unit from both. */
static uint64_t
tf32_away(uint32_t x, bool satfinite)
{
    if ((x & 0x7f800000) != 0x7f800000)
        x += 0x1000;
    x &= ~(uint32_t)0x1fff;
    return satfinite && (x & 0x7f800000) == 0x7f800000 ? x - 0x2000 : x;
}

static uint64_t
convert(const uint64_t *v, uint32_t flags)
{
    enum ptx_type from = (enum ptx_type)(flags >> CVT_FROM & 0xff);
    enum ptx_type to = (enum ptx_type)(flags >> CVT_TO & 0xff);
    bool to_float = ptx_type_class(to) == PTX_CLASS_FLOAT || to == PTX_tf32;
    unsigned bits = bits_of(from);
    uint64_t x = v[0];
    bool negative = false;

    if (to == PTX_tf32 && (flags >> CVT_ROUND & 7) == ROUND_AWAY)
        return tf32_away((uint32_t)x, (flags & CVT_SATFINITE) != 0);
    if (from == to && (from == PTX_f32 || from == PTX_f64) &&
        (flags & ~(uint32_t)0xffff) == 0)
        return x; /* a move */
    if (to_float && (from == PTX_f64 || to == PTX_f64) && (flags & CVT_SAT) == 0 &&
        is_nan_of(x, from))
        return nan_with_payload(x, from, to, (flags & CVT_FTZ) != 0);
    if (ptx_type_class(from) == PTX_CLASS_FLOAT) {
        double d = read_float(x, from, (flags & CVT_FTZ) != 0);

        return to_float ? write_float(d, to, flags) : float_to_int(d, from, to, flags);
    }
    if (bits < 64)
        x &= ((uint64_t)1 << bits) - 1;
    if (is_signed(from)) {
        x = (uint64_t)((int64_t)(x << (64 - bits)) >> (64 - bits));
        negative = (int64_t)x < 0;
    }
    return to_float ? int_to_float(x, negative, to, flags)
                    : convert_integer(x, negative, to, (flags & CVT_SAT) != 0);
}

/* For a register wider than the type, the result is extended by the type's sign. */
static uint64_t
convert_extended(const uint64_t *v, uint32_t flags)
{
    enum ptx_type to = (enum ptx_type)(flags >> CVT_TO & 0xff);
    uint64_t x = convert(v, flags);
    unsigned bits = bits_of(to);

    if (bits == 64)
        return x;
    x &= ((uint64_t)1 << bits) - 1;
    return is_signed(to) ? (uint64_t)((int64_t)(x << (64 - bits)) >> (64 - bits)) : x;
}

/* --- packed forms: cvt.rn.f16x2.f32 d, a, b: a is the upper half --------- */

static enum small_format
small_of(enum ptx_type t)
{
    switch (t) {
    case PTX_bf16x2:
        return SMALL_BF16;
    case PTX_e4m3x2:
        return SMALL_E4M3;
    case PTX_e5m2x2:
        return SMALL_E5M2;
    default:
        return SMALL_F16;
    }
}

static uint64_t
pack_two(const uint64_t *v, uint32_t flags)
{
    enum ptx_type to = (enum ptx_type)(flags >> CVT_TO & 0xff);
    unsigned width = bits_of(to) / 2;
    enum rounding r = (enum rounding)(flags >> CVT_ROUND & 7);
    uint64_t packed = 0;

    for (unsigned i = 0; i < 2; i++) {
        double d = read_float(v[i], PTX_f32, (flags & CVT_FTZ) != 0);

        if ((flags & CVT_RELU) && !(d > 0))
            d = isnan(d) ? d : 0;
        packed = packed << width |
                 small_from_double(small_of(to), d, r, (flags & CVT_SATFINITE) != 0);
    }
    return packed;
}

/* Converts f16x2 to e4m3x2 or e5m2x2, or back. */
static uint64_t
repack_two(const uint64_t *v, uint32_t flags)
{
    enum ptx_type from = (enum ptx_type)(flags >> CVT_FROM & 0xff);
    enum ptx_type to = (enum ptx_type)(flags >> CVT_TO & 0xff);
    unsigned from_bits = bits_of(from) / 2, to_bits = bits_of(to) / 2;
    uint64_t packed = 0;

    for (unsigned i = 0; i < 2; i++) {
        uint32_t one = (uint32_t)(v[0] >> (i * from_bits)) & ((1u << from_bits) - 1);
        double d = small_to_double(small_of(from), one);

        if ((flags & CVT_RELU) && d <= 0)
            d = 0;
        packed |= (uint64_t)small_from_double(small_of(to), d, ROUND_NEAREST,
                                              (flags & CVT_SATFINITE) != 0)
                  << (i * to_bits);
    }
    return packed;
}

/* --- decoding ------------------------------------------------------------ */

static int
decode_packed(struct decoder *d, const struct ptx_insn *in, uint32_t flags)
{
    enum ptx_type to = type_read(d, in, 0), from = type_read(d, in, 1);

    flags |= (uint32_t)from << CVT_FROM | (uint32_t)to << CVT_TO;
    if (from == PTX_f32 && in->operand_count == 3 &&
        (to == PTX_f16x2 || to == PTX_bf16x2 || to == PTX_e4m3x2 || to == PTX_e5m2x2))
        return emit_scalar(d, in, pack_two, flags,
                           ptx_type_bytes(to) == 2 ? PTX_b16 : PTX_b32,
                           (enum ptx_type[]){PTX_f32, PTX_f32}, 2);
    if (in->operand_count == 2 &&
        ((to == PTX_f16x2 && (from == PTX_e4m3x2 || from == PTX_e5m2x2)) ||
         (from == PTX_f16x2 && (to == PTX_e4m3x2 || to == PTX_e5m2x2))))
        return emit_scalar(
            d, in, repack_two, flags, ptx_type_bytes(to) == 2 ? PTX_b16 : PTX_b32,
            (enum ptx_type[]){ptx_type_bytes(from) == 2 ? PTX_b16 : PTX_b32}, 1);
    return -1;
}

static bool
is_scalar_type(enum ptx_type t)
{
    enum ptx_class c = ptx_type_class(t);

    return (c == PTX_CLASS_UINT || c == PTX_CLASS_SINT || c == PTX_CLASS_FLOAT ||
            c == PTX_CLASS_BITS) &&
           ptx_type_bytes(t) <= 8;
}

/* The lane vector of a source of 32 bits. Where the register is wider (9.4.1), as nvcc
 * writes in cvt.s64.s32, it is the lower half of the register. */
static uint32_t
lower_half(struct decoder *d, const struct ptx_operand *o, enum ptx_type from)
{
    struct insn out = {.fn = lane_handler(d, (struct lane_key){PTX_OP_cvt, PTX_u32,
                                                               PTX_u64, LANE_PLAIN})};
    uint32_t width = 0;

    if (ptx_type_bytes(from) != 4 || ptx_type_class(from) == PTX_CLASS_FLOAT)
        return source(d, o, from);
    out.a = source_any(d, o, &width);
    if (out.a == UINT32_MAX || width != 8)
        return source(d, o, from);
    out.d = new_vector(d, 4);
    *emit(d, out.fn) = out;
    return out.d;
}

static int
emit_fast(struct decoder *d, const struct ptx_insn *in, struct lane_key key)
{
    struct insn out = {.fn = lane_handler(d, key)};

    out.d = destination(d, &in->operands[0], ptx_type_bytes(key.type));
    if (out.fn == NULL || out.d == UINT32_MAX)
        return -1;
    out.a = lower_half(d, &in->operands[1], key.from);
    if (out.a == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

/* The lane tables have conversions between registers that are exactly as wide as the
 * types. */
static int
decode_fast(struct decoder *d, const struct ptx_insn *in, uint32_t flags)
{
    enum ptx_type to = type_read(d, in, 0), from = type_read(d, in, 1);
    bool narrows = from == PTX_f64 || ptx_type_class(from) != PTX_CLASS_FLOAT ||
                   to == PTX_f16 || to == PTX_bf16;

    if (from == PTX_f32 && (to == PTX_s32 || to == PTX_u32) &&
        (flags & ~(uint32_t)(7 << CVT_ROUND)) == CVT_INTEGRAL &&
        (flags >> CVT_ROUND & 7) <= ROUND_UP) {
        static const uint8_t variants[] = {[ROUND_NEAREST] = LANE_NEAREST,
                                           [ROUND_ZERO] = LANE_ZERO,
                                           [ROUND_DOWN] = LANE_DOWN,
                                           [ROUND_UP] = LANE_UP};

        return emit_fast(
            d, in,
            (struct lane_key){PTX_OP_cvt, to, from, variants[flags >> CVT_ROUND & 7]});
    }
    if ((flags & ~(uint32_t)(7 << CVT_ROUND)) != 0 ||
        (flags >> CVT_ROUND & 7) != ROUND_NEAREST || !narrows) {
        if (flags != 0)
            return -1;
    }
    if (ptx_type_class(to) == PTX_CLASS_SINT && ptx_type_class(from) == PTX_CLASS_UINT &&
        ptx_type_bytes(to) > ptx_type_bytes(from)) /* zero extension either way */
        to = ptx_type_bytes(to) == 8   ? PTX_u64
             : ptx_type_bytes(to) == 4 ? PTX_u32
                                       : PTX_u16;
    if (ptx_type_bytes(to) < ptx_type_bytes(from) &&
        ptx_type_class(from) != PTX_CLASS_FLOAT &&
        ptx_type_class(to) != PTX_CLASS_FLOAT) {
        static const enum ptx_type u[] = {0, 0, PTX_u16, 0, PTX_u32, 0, 0, 0, PTX_u64};

        to = u[ptx_type_bytes(to)];
        from = u[ptx_type_bytes(from)];
    }
    return emit_fast(d, in, (struct lane_key){PTX_OP_cvt, to, from, LANE_PLAIN});
}

int
decode_convert(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type to = type_read(d, in, 0), from = type_read(d, in, 1);
    uint32_t flags, width = 0;
    struct extra *e;
    struct insn *out;

    if (mod_read(d, in, PTX_MOD_pack))
        return decode_cvt_pack(d, in);
    if (in->type_count != 2 || !operand_fits(&in->operands[0], to) ||
        !operand_fits(&in->operands[1], from))
        return -1;
    flags = convert_flags(d, in, to, from);
    if (!convert_exists(to, from, flags))
        return -1;
    count_unit(d, in);
    if (decode_fast(d, in, flags) == 0)
        return 0;
    if (!is_scalar_type(from) || (!is_scalar_type(to) && to != PTX_tf32))
        return decode_packed(d, in, flags);
    e = kernel_alloc(d, sizeof *e);
    if (e == NULL)
        return -1;
    e->scalar = convert_extended;
    e->imm = (int64_t)(flags | (uint32_t)from << CVT_FROM | (uint32_t)to << CVT_TO);
    e->count = 1;
    /* Both registers may be wider than the types. */
    e->vectors[0] = source_any(d, &in->operands[0], &width);
    e->widths[0] = (uint8_t)width;
    if (e->vectors[0] == UINT32_MAX || width < ptx_type_bytes(to))
        return -1;
    width = register_bytes(from);
    if (in->operands[1].kind == PTX_OPERAND_REG)
        e->vectors[1] = source_any(d, &in->operands[1], &width);
    else
        e->vectors[1] = source(d, &in->operands[1], from);
    e->widths[1] = (uint8_t)width;
    if (e->vectors[1] == UINT32_MAX || width < ptx_type_bytes(from))
        return -1;
    out = emit(d, op_scalar);
    out->extra = e;
    return 0;
}
