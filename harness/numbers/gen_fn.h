/*
 * The element functions of gen.h. gcc compiles this one source for the host and nvcc for
 * the arbiter's fill kernel, and both give the same bits. It uses only + - * / sqrt,
 * casts and integer arithmetic, which IEEE 754 rounds in one way. Logarithm, sine and
 * cosine are polynomials of ours, because those of the C libraries differ between
 * machines. No operations may be contracted: -ffp-contract=off here, --fmad=false there.
 *
 * A kernel that makes four elements per thread calls gen_block once and gen_element four
 * times. gen_value is both for one element.
 */
#ifndef NUMBERS_GEN_FN_H
#define NUMBERS_GEN_FN_H

#include "numbers/dtype.h"
#include "numbers/gen.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define GEN_FN __host__ __device__ static inline
#else
#define GEN_FN static inline __attribute__((always_inline))
#endif

/* --- Philox4x32-10 (Salmon et al., SC'11, section 4.3 and table 2) ----------------- */

#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u
#define PHILOX_ROUNDS 10

/* The counter's last word tells the sequences of one stream apart. */
enum gen_lane {
    GEN_LANE_VALUE = 0,
    GEN_LANE_EXTRA = 1, /* low bits of a float64, the choice of GEN_MOSTLY */
    GEN_LANE_POISON = 2,
    GEN_LANE_RANDOM = 3, /* problem/draw.h uses this one and the rest */
    GEN_LANE_NORMAL = 4,
    GEN_LANE_GAP = 5,
    GEN_LANE_ORDER = 6, /* a random order uses 7 and 8, too */
};

struct philox {
    uint32_t word[4];
};

GEN_FN struct philox
philox(uint64_t key, uint64_t block, uint32_t stream, uint32_t lane)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = stream, c3 = lane;
    struct philox out;

    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint64_t p0 = (uint64_t)PHILOX_M0 * c0;
        uint64_t p1 = (uint64_t)PHILOX_M1 * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
    out.word[0] = c0;
    out.word[1] = c1;
    out.word[2] = c2;
    out.word[3] = c3;
    return out;
}

/* --- number formats ----------------------------------------------------------------- */

#define GEN_DOUBLE_MANTISSA ((uint64_t)0xFFFFFFFFFFFFF) /* 52 bits */

/* value as a sign, `exponent` bits and `mantissa` bits, rounded to nearest even (IEEE
 * 754-2019, 4.3.1). What is too large becomes infinity, and a NaN a quiet NaN. */
GEN_FN uint32_t
gen_narrow(double value, int exponent, int mantissa)
{
    const uint32_t infinity = ((1u << exponent) - 1) << mantissa;
    const int bias = (1 << (exponent - 1)) - 1;
    int shift = 52 - mantissa;
    uint64_t bits, fraction, kept, rest, half;
    uint32_t sign, result;
    int e;

    memcpy(&bits, &value, sizeof bits);
    sign = (uint32_t)(bits >> 63) << (exponent + mantissa);
    fraction = bits & GEN_DOUBLE_MANTISSA;
    e = (int)(bits >> 52 & 0x7FF);
    if (e == 0x7FF)
        return sign | infinity | (fraction != 0 ? 1u << (mantissa - 1) : 0);
    if (e == 0) /* zero, or a subnormal double, which every narrow format rounds to 0 */
        return sign;
    e += bias - 1023;
    fraction |= GEN_DOUBLE_MANTISSA + 1;
    if (e <= 0) { /* a subnormal has no hidden bit and a fixed exponent */
        shift += 1 - e;
        e = 1;
        if (shift > 53)
            return sign;
    }
    kept = fraction >> shift;
    rest = fraction & (((uint64_t)1 << shift) - 1);
    half = (uint64_t)1 << (shift - 1);
    if (rest > half || (rest == half && (kept & 1) != 0))
        kept++;
    /* The exponent is e - 1 here, because the hidden bit, where there is one, carries 1
     * into it. A carry out of the mantissa is added to it in the same way. */
    if (e >= (1 << exponent))
        return sign | infinity;
    result = ((uint32_t)(e - 1) << mantissa) + (uint32_t)kept;
    return sign | (result < infinity ? result : infinity);
}

/* The inverse of gen_narrow(), which is exact. */
GEN_FN double
gen_widen(uint32_t bits, int exponent, int mantissa)
{
    const int bias = (1 << (exponent - 1)) - 1;
    uint64_t sign = (uint64_t)(bits >> (exponent + mantissa) & 1) << 63;
    uint64_t fraction = (uint64_t)(bits & ((1u << mantissa) - 1)) << (52 - mantissa);
    int e = (int)(bits >> mantissa & ((1u << exponent) - 1));
    uint64_t wide;
    double value;

    if (e == (1 << exponent) - 1) {
        wide = sign | (uint64_t)0x7FF << 52 | fraction;
    } else if (e != 0) {
        wide = sign | (uint64_t)(e - bias + 1023) << 52 | fraction;
    } else if (fraction == 0) {
        wide = sign;
    } else { /* a subnormal: its leading one moves to the place of the hidden bit */
        e = 1;
        while ((fraction & (GEN_DOUBLE_MANTISSA + 1)) == 0) {
            fraction <<= 1;
            e--;
        }
        wide =
            sign | (uint64_t)(e - bias + 1023) << 52 | (fraction & GEN_DOUBLE_MANTISSA);
    }
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* fp8 e4m3 (OCP 8-bit floating point specification, revision 1.0) has no infinity, and
 * 0x7F is its NaN. Its largest number is 448, to which GPUs convert everything larger.
 * Below 256 it is like the IEEE formats. gen_narrow() takes 256 for infinity. */
GEN_FN uint32_t
gen_narrow_e4m3(double value)
{
    const double size = fabs(value);
    uint32_t sign = value < 0 ? 0x80 : 0;
    double steps;

    if (value != value)
        return 0x7F;
    if (size < 256)
        return gen_narrow(value, 4, 3);
    steps = size < 512 ? rint(size / 32) : 14;
    return sign | (0x70 + (uint32_t)(steps < 14 ? steps : 14));
}

GEN_FN double
gen_widen_e4m3(uint32_t bits)
{
    const double size = 32 * (double)(8 + (bits & 7));

    if ((bits & 0x78) != 0x78)
        return gen_widen(bits, 4, 3);
    if ((bits & 0x7F) == 0x7F)
        return (double)NAN;
    return (bits & 0x80) != 0 ? -size : size;
}

/* fp8 e5m2 has infinities, but no finite value is converted to one. */
GEN_FN uint32_t
gen_narrow_e5m2(double value)
{
    const uint32_t bits = gen_narrow(value, 5, 2);

    return (bits & 0x7F) == 0x7C && fabs(value) <= 1.7976931348623157e308 ? bits - 1
                                                                          : bits;
}

/* Rounds to nearest even and clamps to lo..hi. */
GEN_FN double
gen_whole(double value, double lo, double hi)
{
    value = rint(value);
    return value < lo ? lo : value > hi ? hi : value;
}

/* The largest doubles that the 64-bit casts below can take. */
#define GEN_I64_MAX 9223372036854774784.0
#define GEN_U64_MAX 18446744073709549568.0

/* dtype_size(), which a kernel cannot call. */
GEN_FN int
gen_size(uint8_t dtype)
{
    switch ((enum dtype)dtype) {
#define X(name, text, size, ctype, class)                                                \
    case DTYPE_##name:                                                                   \
        return size;
        DTYPES(X)
#undef X
    case DTYPE_COUNT:
        break;
    }
    return 0;
}

/* The bits of a value in a buffer's type. */
GEN_FN uint64_t
gen_bits(uint8_t dtype, double value)
{
    const float narrow = (float)value;
    uint64_t bits = 0;

    switch ((enum dtype)dtype) {
    case DTYPE_F32:
        memcpy(&bits, &narrow, sizeof narrow);
        break;
    case DTYPE_F64:
        memcpy(&bits, &value, sizeof value);
        break;
    case DTYPE_F16:
        return gen_narrow(value, 5, 10);
    case DTYPE_BF16:
        return gen_narrow(value, 8, 7);
    case DTYPE_E4M3:
        return gen_narrow_e4m3(value);
    case DTYPE_E5M2:
        return gen_narrow_e5m2(value);
    case DTYPE_I8:
        return (uint8_t)(int8_t)gen_whole(value, -128, 127);
    case DTYPE_E2M1X2:
    case DTYPE_U8:
        return (uint8_t)gen_whole(value, 0, 255);
    case DTYPE_I16:
        return (uint16_t)(int16_t)gen_whole(value, -32768, 32767);
    case DTYPE_U16:
        return (uint16_t)gen_whole(value, 0, 65535);
    case DTYPE_I32:
        return (uint32_t)(int32_t)gen_whole(value, -2147483648.0, 2147483647.0);
    case DTYPE_U32:
        return (uint32_t)gen_whole(value, 0, 4294967295.0);
    case DTYPE_I64:
        return (uint64_t)(int64_t)gen_whole(value, -9223372036854775808.0, GEN_I64_MAX);
    case DTYPE_U64:
        return (uint64_t)gen_whole(value, 0, GEN_U64_MAX);
    case DTYPE_COUNT:
        break;
    }
    return bits;
}

/* dst[index] = value in the buffer's type. */
GEN_FN void
gen_store(uint8_t dtype, double value, void *dst, uint64_t index)
{
    const uint64_t bits = gen_bits(dtype, value);

    switch (gen_size(dtype)) {
    case 1:
        ((uint8_t *)dst)[index] = (uint8_t)bits;
        break;
    case 2:
        ((uint16_t *)dst)[index] = (uint16_t)bits;
        break;
    case 4:
        ((uint32_t *)dst)[index] = (uint32_t)bits;
        break;
    case 8:
        ((uint64_t *)dst)[index] = bits;
        break;
    }
}

/* src[index] as a double. Only 64-bit integers beyond 2^53 are not exact. */
GEN_FN double
gen_read(uint8_t dtype, const void *src, uint64_t index)
{
    switch ((enum dtype)dtype) {
    case DTYPE_F32:
        return ((const float *)src)[index];
    case DTYPE_F64:
        return ((const double *)src)[index];
    case DTYPE_F16:
        return gen_widen(((const uint16_t *)src)[index], 5, 10);
    case DTYPE_BF16:
        return gen_widen(((const uint16_t *)src)[index], 8, 7);
    case DTYPE_E4M3:
        return gen_widen_e4m3(((const uint8_t *)src)[index]);
    case DTYPE_E5M2:
        return gen_widen(((const uint8_t *)src)[index], 5, 2);
    case DTYPE_I8:
        return ((const int8_t *)src)[index];
    case DTYPE_E2M1X2:
    case DTYPE_U8:
        return ((const uint8_t *)src)[index];
    case DTYPE_I16:
        return ((const int16_t *)src)[index];
    case DTYPE_U16:
        return ((const uint16_t *)src)[index];
    case DTYPE_I32:
        return ((const int32_t *)src)[index];
    case DTYPE_U32:
        return ((const uint32_t *)src)[index];
    case DTYPE_I64:
        return (double)((const int64_t *)src)[index];
    case DTYPE_U64:
        return (double)((const uint64_t *)src)[index];
    case DTYPE_COUNT:
        break;
    }
    return 0;
}

/* --- elementary functions of GEN_NORMAL --------------------------------------------- */

/* ln x for a normal number x with 0 < x < 1, to about 1e-16. With x = m * 2^e and m in
 * [sqrt(1/2), sqrt 2), it is e ln 2 + 2 artanh s. Here s = (m - 1) / (m + 1), whose
 * magnitude is below 0.172, and artanh is computed by its series. */
GEN_FN double
gen_log(double x)
{
    uint64_t bits;
    double m, s, s2, sum = 0;
    int e;

    memcpy(&bits, &x, sizeof bits);
    e = (int)(bits >> 52 & 0x7FF) - 1023;
    bits = (bits & GEN_DOUBLE_MANTISSA) | (uint64_t)1023 << 52;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    s = (m - 1) / (m + 1);
    s2 = s * s;
    for (int k = 21; k >= 1; k -= 2)
        sum = sum * s2 + 1.0 / k;
    return 2 * s * sum + e * 0.69314718055994531;
}

/* sin (odd = 1) or cos (odd = 0) of 2 pi turn / 2^32, by Taylor's series within pi/4 of
 * the nearest quarter turn. */
GEN_FN double
gen_wave(uint32_t turn, int odd)
{
    uint32_t quarter = (turn + 0x20000000u) >> 30;
    double x =
        (double)(int32_t)(turn - (quarter << 30)) * (1.5707963267948966 / 1073741824);
    double x2 = x * x, sine = 0, cosine = 0;
    double value;

    for (int k = 15; k >= 3; k -= 2)
        sine = (1 + sine) * -x2 / (k * (k - 1));
    for (int k = 16; k >= 2; k -= 2)
        cosine = (1 + cosine) * -x2 / (k * (k - 1));
    sine = x + x * sine;
    cosine = 1 + cosine;
    /* In the four quarters cos is c, -s, -c, s. sin is cos of the quarter before. */
    quarter = (quarter + (odd != 0 ? 3 : 0)) & 3;
    value = (quarter & 1) != 0 ? sine : cosine;
    return quarter == 1 || quarter == 2 ? -value : value;
}

/* --- random order ------------------------------------------------------------------- */

/* A random order of 0 .. range - 1, of which any element can be computed alone. A Feistel
 * network over the next power of 4 is applied until its result is below range (J. Black,
 * P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). It hides no secret.
 */
struct gen_order {
    uint64_t range, mask;
    int half; /* bits of each half */
    uint64_t key[6];
};

/* range is 1 .. 2^53. `which` is the buffer's row: each row has an order of its own. */
GEN_FN void
gen_order_open(struct gen_order *o, uint64_t seed, uint32_t stream, uint64_t which,
               uint64_t range)
{
    o->range = range;
    o->half = 1;
    while ((uint64_t)1 << (2 * o->half) < range)
        o->half++;
    o->mask = ((uint64_t)1 << o->half) - 1;
    for (int k = 0; k < 3; k++) {
        const struct philox w = philox(seed, which, stream, GEN_LANE_ORDER + (uint32_t)k);

        o->key[2 * k] = (uint64_t)w.word[1] << 32 | w.word[0];
        o->key[2 * k + 1] = (uint64_t)w.word[3] << 32 | w.word[2];
    }
}

/* Two rounds of multiplying and shifting. The constants are odd and have no pattern. */
GEN_FN uint64_t
gen_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xD1342543DE82EF95u;
    return x ^ x >> 32;
}

/* Element i of the order; i is below range. */
GEN_FN uint64_t
gen_order_at(const struct gen_order *o, uint64_t i)
{
    do {
        uint64_t left = i >> o->half, right = i & o->mask;

        for (int round = 0; round < 6; round++) {
            uint64_t next = left ^ (gen_mix(right + o->key[round]) & o->mask);

            left = right;
            right = next;
        }
        i = left << o->half | right;
    } while (i >= o->range);
    return i;
}

/* --- elements ----------------------------------------------------------------------- */

/* The random words of elements 4 * block .. 4 * block + 3. The caller zeroes it before
 * the first block, and uses it for one generator and one seed. */
struct gen_words {
    struct philox value, extra;
    struct gen_order order; /* for GEN_ORDER and scatter; range 0: not opened yet */
    uint64_t order_row;     /* the row whose order it is */
    uint64_t seed;
};

/* Does this generator draw a second word for each element? */
GEN_FN int
gen_needs_extra(const struct gen *g)
{
    return g->kind == GEN_MOSTLY || (g->kind == GEN_UNIFORM && g->dtype == DTYPE_F64);
}

GEN_FN int
gen_needs_words(const struct gen *g)
{
    return g->kind == GEN_UNIFORM || g->kind == GEN_INTEGER || g->kind == GEN_NORMAL ||
           g->kind == GEN_MOSTLY || g->kind == GEN_CHOICE || g->kind == GEN_SORTED;
}

GEN_FN void
gen_block(const struct gen *g, uint64_t seed, uint64_t block, struct gen_words *out)
{
    if (gen_needs_words(g))
        out->value = philox(seed, block, g->stream, GEN_LANE_VALUE);
    if (gen_needs_extra(g))
        out->extra = philox(seed, block, g->stream, GEN_LANE_EXTRA);
    out->seed = seed;
}

/* The order of this row, which is opened if it is not open yet. */
GEN_FN const struct gen_order *
gen_order_of(const struct gen *g, struct gen_words *w, uint64_t row)
{
    if (w->order.range == 0 || w->order_row != row) {
        gen_order_open(&w->order, w->seed, g->stream, row, g->range);
        w->order_row = row;
    }
    return &w->order;
}

/* A number of 0..1 that lies in the k-th of `columns` equal parts. */
GEN_FN double
gen_sorted(const struct gen *g, uint64_t k, uint32_t word)
{
    const double u = ((double)(int64_t)k + (double)word * (1.0 / 4294967296.0)) /
                     (double)(int64_t)g->columns;
    const double span = g->integer != 0 ? g->b - g->a + 1 : g->b - g->a;
    double v = g->a + span * u;

    if (g->integer != 0)
        return v < g->b ? floor(v) : g->b;
    return v < g->b ? v : g->b;
}

/* A number with a <= number < b. Where rounding gives b, the number is a. */
GEN_FN float
gen_uniform(float a, float b, uint32_t word)
{
    float v = a + (b - a) * ((float)(int32_t)(word >> 8) * (1.0f / 16777216.0f));

    return v < b ? v : a;
}

GEN_FN double
gen_uniform_wide(double a, double b, uint32_t high, uint32_t low)
{
    uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    double v = a + (b - a) * ((double)(int64_t)bits * (1.0 / 9007199254740992.0));

    return v < b ? v : a;
}

/* A whole number with a <= number <= b. a and b are whole, and b - a is below 2^32. */
GEN_FN int64_t
gen_integer(int64_t a, int64_t b, uint32_t word)
{
    uint64_t span = (uint64_t)(b - a) + 1;

    return a + (int64_t)((word * span) >> 32);
}

/* G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", 1958.
 * The words of a block make two pairs. Each pair gives two numbers, by the cosine and the
 * sine of its second word. */
GEN_FN double
gen_normal(const struct philox *w, int index)
{
    uint32_t first = w->word[index & 2], second = w->word[(index & 2) + 1];
    double u = ((double)first + 0.5) * (1.0 / 4294967296.0);

    return sqrt(-2 * gen_log(u)) * gen_wave(second, index & 1);
}

/* The first value of the list whose running sum of probabilities is above word / 2^32. */
GEN_FN double
gen_choice(const struct gen *g, uint32_t word)
{
    const double u = (double)word * (1.0 / 4294967296.0);
    uint32_t k = 0;

    while (k + 1 < g->list_count && u >= g->list[g->list_count + k])
        k++;
    return g->list[k];
}

/* Element i, whose words are in w. Scatter, sign and the buffer's type come later. kind
 * is g->kind: a kernel that makes many elements looks at it once. */
GEN_FN double
gen_plain_element(const struct gen *g, uint8_t kind, struct gen_words *w, uint64_t i)
{
    const int k = (int)(i & 3);
    double v = 0;

    switch ((enum gen_kind)kind) {
    case GEN_CONSTANT:
        v = g->a;
        break;
    case GEN_UNIFORM:
        v = g->dtype == DTYPE_F64
                ? gen_uniform_wide(g->a, g->b, w->value.word[k], w->extra.word[k])
                : (double)gen_uniform((float)g->a, (float)g->b, w->value.word[k]);
        break;
    case GEN_INTEGER:
        v = (double)gen_integer((int64_t)g->a, (int64_t)g->b, w->value.word[k]);
        break;
    case GEN_NORMAL:
        v = g->a + g->b * gen_normal(&w->value, k);
        break;
    case GEN_RAMP:
        v = g->a + g->b * (double)(int64_t)i;
        break;
    case GEN_LIST:
        v = g->list[i % g->list_count];
        break;
    case GEN_IDENTITY:
        v = i / g->columns == i % g->columns ? 1 : 0;
        break;
    case GEN_MOSTLY:
        if ((double)w->extra.word[k] * (1.0 / 4294967296.0) < g->share)
            v = g->b;
        else if (g->integer != 0)
            v = (double)gen_integer((int64_t)g->c, (int64_t)g->d, w->value.word[k]);
        else
            v = (double)gen_uniform((float)g->c, (float)g->d, w->value.word[k]);
        break;
    case GEN_CHOICE:
        v = gen_choice(g, w->value.word[k]);
        break;
    case GEN_ORDER:
        v = g->a + (double)(int64_t)gen_order_at(gen_order_of(g, w, i / g->columns),
                                                 i % g->columns);
        break;
    case GEN_SORTED:
        v = gen_sorted(g, i % g->columns, w->value.word[k]);
        break;
    }
    return v;
}

GEN_FN double
gen_element(const struct gen *g, struct gen_words *w, uint64_t i)
{
    double v = gen_plain_element(g, g->kind, w, i);

    if (g->scatter != 0) {
        if (gen_order_at(gen_order_of(g, w, 0), i) >= g->scatter)
            v = 0;
        else if (v == 0)
            v = 1;
    }
    return g->negate != 0 ? -v : v;
}

GEN_FN double
gen_value(const struct gen *g, uint64_t seed, uint64_t i)
{
    struct gen_words w;

    w.order.range = 0;
    gen_block(g, seed, i / 4, &w);
    return gen_element(g, &w, i);
}

/* Bytes 16 * block .. 16 * block + 15 of the poison, as little-endian words. */
GEN_FN struct philox
gen_poison_block(uint64_t seed, uint64_t block)
{
    return philox(seed, block, 0, GEN_LANE_POISON);
}

#endif
