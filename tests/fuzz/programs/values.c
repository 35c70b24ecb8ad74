/* What an instruction of the PTX ISA makes of its operands, one thread at a time and as
 * the ISA states it: integers through wider integers, rounding by the processor's
 * rounding mode, half precision through exact wide arithmetic. */
#include "program.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

uint64_t class_mask(enum class c)
{
    return c == CLASS_H                   ? 0xffff
           : c == CLASS_R || c == CLASS_F ? 0xffffffff
           : c == CLASS_P                 ? 1
                                          : UINT64_MAX;
}

enum class class_of(char letter) {
    static const char letters[] = "hrdfgp";

    return (enum class)(strchr(letters, letter) - letters);
}

/* --- integers ------------------------------------------------------------ */

#define U16(x) ((uint16_t)(x))
#define S16(x) ((int16_t)(x))
#define U32(x) ((uint32_t)(x))
#define S32(x) ((int32_t)(uint32_t)(x))
#define S64(x) ((int64_t)(x))
typedef __int128 wide;
typedef unsigned __int128 uwide;

static wide
clamp(wide x, wide low, wide high)
{
    return x < low ? low : x > high ? high : x;
}

static uint64_t
shift_left(uint64_t a, uint64_t n, unsigned width)
{
    return n >= width ? 0 : a << n;
}

/* Fills with copies of bit width - 1 if is_signed (9.7.8.8). */
static uint64_t
shift_right(uint64_t a, uint64_t n, unsigned width, bool is_signed)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < width; i++) {
        uint64_t from = i + n, bit;

        if (from < width)
            bit = a >> from & 1;
        else
            bit = is_signed ? a >> (width - 1) & 1 : 0;
        r |= bit << i;
    }
    return r;
}

static unsigned
count_ones(uint64_t a)
{
    unsigned n = 0;

    for (; a != 0; a &= a - 1)
        n++;
    return n;
}

static unsigned
leading_zeros(uint64_t a, unsigned width)
{
    unsigned n = 0;

    while (n < width && (a >> (width - 1 - n) & 1) == 0)
        n++;
    return n;
}

/* 9.7.1.16 bfind */
static uint64_t
find_bit(uint64_t a, unsigned width, bool is_signed, bool shift)
{
    unsigned n;

    if (is_signed && (a >> (width - 1) & 1) != 0)
        a = ~a & (width == 64 ? UINT64_MAX : 0xffffffff);
    n = leading_zeros(a, width);
    return n == width ? 0xffffffff : shift ? n : width - 1 - n;
}

static uint64_t
reverse(uint64_t a, unsigned width)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < width; i++)
        r |= (a >> i & 1) << (width - 1 - i);
    return r;
}

/* 9.7.1.18 bfe, as the ISA's own pseudocode has it; but for 64 bits an H200 takes all of
 * b and c, not their lowest 8 bits. */
static uint64_t
extract(uint64_t a, uint64_t b, uint64_t c, unsigned width, bool is_signed)
{
    uint64_t mask = width == 32 ? 0xff : 0xffffffff;
    uint64_t msb = width - 1, pos = b & mask, len = c & mask, sbit, d = 0;

    if (!is_signed || len == 0)
        sbit = 0;
    else
        sbit = a >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
    for (uint64_t i = 0; i <= msb; i++)
        d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit) << i;
    return d;
}

static uint64_t
permute(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t both = a | b << 32, r = 0;

    for (int i = 0; i < 4; i++) {
        unsigned selector = (unsigned)(c >> (4 * i)) & 15;
        uint64_t byte = both >> ((selector & 7) * 8) & 0xff;

        if ((selector & 8) != 0)
            byte = (byte & 0x80) != 0 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

/* 9.7.8.11 shf: bits of b:a (b high). */
static uint64_t
funnel(uint64_t a, uint64_t b, uint64_t c, bool left, bool wrap)
{
    uint64_t both = b << 32 | a, n = wrap ? c & 31 : c > 32 ? 32 : c & 63;

    return left ? (n == 0 ? b : both >> (32 - n)) : both >> n;
}

static uint64_t
dot4(uint64_t a, uint64_t b, uint64_t c, bool a_signed, bool b_signed)
{
    int64_t sum = S32(c);

    for (int i = 0; i < 4; i++) {
        int64_t x = (int64_t)(a >> (8 * i) & 0xff), y = (int64_t)(b >> (8 * i) & 0xff);

        x -= a_signed && x > 127 ? 256 : 0;
        y -= b_signed && y > 127 ? 256 : 0;
        sum += x * y;
    }
    return (uint64_t)sum;
}

static uint64_t
difference(wide a, wide b)
{
    return (uint64_t)(a > b ? a - b : b - a);
}

/* 9.7.1.6, .7: what the hardware makes of division by zero. */
static wide
quotient(wide a, wide b)
{
    return b == 0 ? -1 : a / b;
}

static wide
remainder_of(wide a, wide b)
{
    return b == 0 ? -1 : a % b;
}

/* --- floating point ------------------------------------------------------ */

static float
f32(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;

    memcpy(&f, &word, sizeof f);
    return f;
}

static uint64_t
b32(float f)
{
    uint32_t word;

    memcpy(&word, &f, sizeof word);
    return isnan(f) ? 0x7fffffff : word; /* 9.7.3: one NaN */
}

static double
f64(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

/* Not one NaN only: which one is nobody's promise, so programs do not see it. */
static uint64_t
b64(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    return isnan(d) ? 0x3ff0000000000000 : bits;
}

static float
flush(float f)
{
    return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

enum arithmetic { ADD, SUB, MUL, DIV, FMA, SQRT };
enum { FTZ = 1, SAT = 2 };

static float
compute32(enum arithmetic op, float x, float y, float z)
{
    volatile float a = x, b = y, c = z, r;

    switch (op) {
    case ADD:
        r = a + b;
        break;
    case SUB:
        r = a - b;
        break;
    case MUL:
        r = a * b;
        break;
    case DIV:
        r = a / b;
        break;
    case SQRT:
        r = sqrtf(a);
        break;
    default:
        r = fmaf(a, b, c);
    }
    return r;
}

static uint64_t
arith32(enum arithmetic op, uint64_t a, uint64_t b, uint64_t c, int rounding, int flags)
{
    float x = f32(a), y = f32(b), z = f32(c), r;

    if ((flags & FTZ) != 0) {
        x = flush(x);
        y = flush(y);
        z = flush(z);
    }
    fesetround(rounding);
    r = compute32(op, x, y, z);
    fesetround(FE_TONEAREST);
    if ((flags & FTZ) != 0)
        r = flush(r);
    if ((flags & SAT) != 0)
        r = isnan(r) || r <= 0 ? 0.0f : r > 1 ? 1.0f : r;
    return b32(r);
}

static uint64_t
arith64(enum arithmetic op, uint64_t a, uint64_t b, uint64_t c, int rounding)
{
    volatile double x = f64(a), y = f64(b), z = f64(c), r;

    fesetround(rounding);
    switch (op) {
    case ADD:
        r = x + y;
        break;
    case SUB:
        r = x - y;
        break;
    case MUL:
        r = x * y;
        break;
    case DIV:
        r = x / y;
        break;
    case SQRT:
        r = sqrt(x);
        break;
    default:
        r = fma(x, y, z);
    }
    fesetround(FE_TONEAREST);
    return b64(r);
}

/* 9.7.3.11 min, max: -0 is less than +0; a NaN loses unless .NaN is asked for. */
static double
extreme(double x, double y, bool larger, bool nan)
{
    bool first;

    if (isnan(x) || isnan(y))
        return nan || (isnan(x) && isnan(y)) ? (double)NAN : isnan(x) ? y : x;
    first = x == y ? signbit(x) != 0 : x < y;
    return first != larger ? x : y;
}

/* Half precision. Sums and products of halves fit a double and their product plus a half
 * fits 113 bits. */
typedef __float128 quad;

static double
f16(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 0x3ff), r;

    if (exponent == 31)
        r = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        r = ldexp(fraction, -24);
    else
        r = ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -r : r;
}

/* x is finite: the nearest half, ties to even, or the next towards zero. */
static uint64_t
b16(quad x, bool negative, bool towards_zero)
{
    quad ulp = 0x1p-24, rest;
    uint64_t sign = negative ? 0x8000 : 0, n = 0;
    int exponent = 1;

    x = x < 0 ? -x : x;
    if (x >= 65536)
        return sign | (towards_zero ? 0x7bff : 0x7c00);
    while (x >= ulp * 2048) {
        ulp *= 2;
        exponent++;
    }
    for (uint64_t bit = 1024; bit != 0; bit /= 2)
        if ((quad)(n + bit) * ulp <= x)
            n += bit;
    rest = x - (quad)n * ulp;
    if (!towards_zero && (rest > ulp / 2 || (rest == ulp / 2 && n % 2 != 0)))
        n++;
    /* A carry out of the fraction is one into the exponent; from 0x7bff to infinity. */
    return sign | (n >= 1024 ? ((uint64_t)exponent << 10) + (n - 1024) : n);
}

static uint64_t
arith16(enum arithmetic op, uint64_t a, uint64_t b, uint64_t c)
{
    double x = f16(a), y = f16(b), z = f16(c), plain;
    quad r;

    plain = op == ADD ? x + y : op == SUB ? x - y : op == MUL ? x * y : fma(x, y, z);
    if (isnan(plain))
        return 0x7fff;
    if (isinf(x) || isinf(y) || (op == FMA && isinf(z)))
        return plain < 0 ? 0xfc00 : 0x7c00;
    r = op == ADD ? (quad)x + y : op == SUB ? (quad)x - y : (quad)x * y;
    if (op == FMA)
        r += z;
    return b16(r, signbit(plain) != 0, false);
}

static uint64_t
to_half(double x, bool towards_zero)
{
    if (isnan(x))
        return 0x7fff;
    if (isinf(x))
        return x < 0 ? 0xfc00 : 0x7c00;
    return b16(x, signbit(x) != 0, towards_zero);
}

static double
whole(double x, int rounding)
{
    return rounding == FE_DOWNWARD     ? floor(x)
           : rounding == FE_UPWARD     ? ceil(x)
           : rounding == FE_TOWARDZERO ? trunc(x)
                                       : rint(x);
}

/* 9.7.9.21 cvt from floating point to an integer of so many bits. */
static uint64_t
to_integer(double x, int rounding, unsigned bits, bool is_signed, bool from_double)
{
    long double low = is_signed ? -ldexpl(1, (int)bits - 1) : 0,
                high = ldexpl(1, (int)bits - is_signed) - 1, r;

    if (isnan(x))
        return !from_double && bits != 64 ? 0
               : is_signed                ? (uint64_t)(INT64_MIN >> (64 - bits))
                                          : 1ull << (bits - 1);
    r = (long double)whole(x, rounding);
    r = r < low ? low : r > high ? high : r;
    return is_signed ? (uint64_t)(int64_t)r : (uint64_t)r;
}

static uint64_t
from_integer(wide x, int rounding, bool to_double)
{
    volatile long double exact = (long double)x; /* at most 64 bits: exact */
    uint64_t r;

    fesetround(rounding);
    if (to_double) {
        volatile double d = (double)exact;

        r = b64(d);
    } else {
        volatile float f = (float)exact;

        r = b32(f);
    }
    fesetround(FE_TONEAREST);
    return r;
}

static uint64_t
narrow(double x, int rounding, bool ftz)
{
    volatile double d = x;
    volatile float f;

    fesetround(rounding);
    f = (float)d;
    fesetround(FE_TONEAREST);
    return b32(ftz ? flush(f) : f);
}

/* --- the table ----------------------------------------------------------- */

#define JOIN(a, b) a##b
#define NAME(line) JOIN(eval_, line)

#define V(text, operands, expression)                                                    \
    static uint64_t NAME(__LINE__)(uint64_t a, uint64_t b, uint64_t c)                   \
    {                                                                                    \
        (void)a, (void)b, (void)c;                                                       \
        return (uint64_t)(expression);                                                   \
    }
#include "values.def"
#undef V

#define V(text, operands, expression) {text, operands, NAME(__LINE__)},
const struct value_op value_ops[] = {
#include "values.def"
};
const unsigned value_op_count = sizeof value_ops / sizeof value_ops[0];
