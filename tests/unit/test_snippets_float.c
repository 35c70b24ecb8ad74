// links: exec ptx snippet
/* Floating-point numbers and their conversions, as programs of strangers use them (PTX
 * ISA 9.7.3, .4, .5, .9.21). The host computes in each rounding mode. */
#include "../fixtures/snippet.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static float
single(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;

    memcpy(&f, &word, sizeof f);
    return f;
}

static double
real(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The bits of a result; a NaN of f32 is always the canonical one. */
static uint32_t
bits_of(float f)
{
    uint32_t word;

    memcpy(&word, &f, sizeof word);
    return isnan(f) ? 0x7fffffff : word;
}

static uint64_t
bits_of_real(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? UINT64_MAX : bits;
}

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

enum { ADD, SUBTRACT, MULTIPLY, FUSED, DIVIDE, ROOT };

static float
in_mode(int op, float a, float b, float c, unsigned mode)
{
    volatile float x = a, y = b, z = c, r;

    fesetround(modes[mode]);
    switch (op) {
    case ADD:
        r = x + y;
        break;
    case SUBTRACT:
        r = x - y;
        break;
    case MULTIPLY:
        r = x * y;
        break;
    case FUSED:
        r = fmaf(x, y, z);
        break;
    case DIVIDE:
        r = x / y;
        break;
    default:
        r = sqrtf(x);
        break;
    }
    fesetround(FE_TONEAREST);
    return r;
}

static double
in_mode_64(int op, double a, double b, double c, unsigned mode)
{
    volatile double x = a, y = b, z = c, r;

    fesetround(modes[mode]);
    switch (op) {
    case ADD:
        r = x + y;
        break;
    case MULTIPLY:
        r = x * y;
        break;
    case FUSED:
        r = fma(x, y, z);
        break;
    case DIVIDE:
        r = x / y;
        break;
    default:
        r = sqrt(x);
        break;
    }
    fesetround(FE_TONEAREST);
    return r;
}

/* --- arithmetic ------------------------------------------------------------------ */

#define FOUR_MODES(op)                                                                   \
    float a = single(A), b = single(B), c = single(C);                                   \
    for (unsigned i = 0; i < 4; i++)                                                     \
    d[i] = bits_of(in_mode(op, a, b, c, i))

EXPECT(add_modes)
{
    FOUR_MODES(ADD);
}

EXPECT(subtract_modes)
{
    FOUR_MODES(SUBTRACT);
}

EXPECT(multiply_modes)
{
    FOUR_MODES(MULTIPLY);
}

EXPECT(fused_modes)
{
    FOUR_MODES(FUSED);
}

EXPECT(divide_modes)
{
    FOUR_MODES(DIVIDE);
}

EXPECT(root_modes)
{
    FOUR_MODES(ROOT);
}

EXPECT(reciprocal_modes)
{
    for (unsigned i = 0; i < 4; i++)
        d[i] = bits_of(in_mode(DIVIDE, 1.0f, single(A), 0, i));
}

#define FOUR_MODES_64(op)                                                                \
    double a = real(A), b = real(B), c = real(C);                                        \
    for (unsigned i = 0; i < 4; i++)                                                     \
    d[i] = bits_of_real(in_mode_64(op, a, b, c, i))

EXPECT(add_modes_64)
{
    FOUR_MODES_64(ADD);
}

EXPECT(multiply_modes_64)
{
    FOUR_MODES_64(MULTIPLY);
}

EXPECT(fused_modes_64)
{
    FOUR_MODES_64(FUSED);
}

EXPECT(divide_modes_64)
{
    FOUR_MODES_64(DIVIDE);
}

EXPECT(root_modes_64)
{
    FOUR_MODES_64(ROOT);
}

static float
flushed(float f)
{
    return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

EXPECT(flushes)
{
    float a = flushed(single(A)), b = flushed(single(B)), c = flushed(single(C));
    float sum = a + b;

    d[0] = bits_of(flushed(sum));
    d[1] = bits_of(flushed(a * b));
    d[2] = bits_of(flushed(fmaf(a, b, c)));
    d[3] = bits_of(a < b ? 1.0f : 0.0f);
}

static float
unit(float f)
{
    return f > 0 ? (f < 1 ? f : 1.0f) : 0.0f;
}

EXPECT(saturates)
{
    float a = single(A), b = single(B), c = single(C);

    d[0] = bits_of(unit(a + b));
    d[1] = bits_of(unit(a * b));
    d[2] = bits_of(unit(fmaf(a, b, c)));
    d[3] = bits_of(unit(a));
}

static float
lesser(float a, float b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

EXPECT(extremes)
{
    float a = single(A), b = single(B), c = single(C);
    bool nan = isnan(a) || isnan(b);

    d[0] = bits_of(lesser(a, b));
    d[1] = bits_of(isnan(a) || isnan(b) ? lesser(a, b) : -lesser(-a, -b));
    d[2] = bits_of(nan ? NAN : lesser(a, b));
    d[3] = bits_of(lesser(lesser(a, b), c));
}

EXPECT(signs)
{
    float a = single(A), b = single(B);

    d[0] = bits_of(copysignf(b, a));
    d[1] = bits_of(fabsf(a));
    d[2] = bits_of(-b);
    d[3] = bits_of(fabsf(a - a));
}

#define ALL_MODES(op, operands)                                                          \
    op ".rn.f32 %f4, " operands "; " op ".rz.f32 %f5, " operands ";\n" op                \
       ".rm.f32 %f6, " operands "; " op ".rp.f32 %f7, " operands ";"
#define ALL_MODES_64(op, operands)                                                       \
    op ".rn.f64 %x0, " operands "; " op ".rz.f64 %x1, " operands ";\n" op                \
       ".rm.f64 %x2, " operands "; " op ".rp.f64 %x3, " operands ";"

static void
test_arithmetic(void **state)
{
    static const struct snippet list[] = {
        {"add_modes", NULL, ALL_MODES("add", "%f0, %f1"), add_modes, IN_FLOATS},
        {"subtract_modes", NULL, ALL_MODES("sub", "%f0, %f1"), subtract_modes, IN_FLOATS},
        {"multiply_modes", NULL, ALL_MODES("mul", "%f0, %f1"), multiply_modes, IN_FLOATS},
        {"fused_modes", NULL, ALL_MODES("fma", "%f0, %f1, %f2"), fused_modes, IN_FLOATS},
        {"divide_modes", NULL, ALL_MODES("div", "%f0, %f1"), divide_modes, IN_FLOATS},
        {"root_modes", NULL, ALL_MODES("sqrt", "%f0"), root_modes, IN_FLOATS},
        {"reciprocal_modes", NULL, ALL_MODES("rcp", "%f0"), reciprocal_modes, IN_FLOATS},
        {"add_modes_64", NULL, ALL_MODES_64("add", "%x4, %x5"), add_modes_64, IN_DOUBLES},
        {"multiply_modes_64", NULL, ALL_MODES_64("mul", "%x4, %x5"), multiply_modes_64,
         IN_DOUBLES},
        {"fused_modes_64", NULL, ALL_MODES_64("fma", "%x4, %x5, %x6"), fused_modes_64,
         IN_DOUBLES},
        {"divide_modes_64", NULL, ALL_MODES_64("div", "%x4, %x5"), divide_modes_64,
         IN_DOUBLES},
        {"root_modes_64", NULL, ALL_MODES_64("sqrt", "%x4"), root_modes_64, IN_DOUBLES},
        {"flushes", NULL,
         "add.ftz.f32 %f4, %f0, %f1; mul.ftz.f32 %f5, %f0, %f1;\n"
         "fma.rn.ftz.f32 %f6, %f0, %f1, %f2; set.lt.ftz.f32.f32 %f7, %f0, %f1;",
         flushes, IN_FLOATS},
        {"saturates", NULL,
         "add.sat.f32 %f4, %f0, %f1; mul.sat.f32 %f5, %f0, %f1;\n"
         "fma.rn.sat.f32 %f6, %f0, %f1, %f2; cvt.sat.f32.f32 %f7, %f0;",
         saturates, IN_FLOATS},
        {"extremes", NULL,
         "min.f32 %f4, %f0, %f1; max.f32 %f5, %f0, %f1; min.NaN.f32 %f6, %f0, %f1;\n"
         "min.f32 %f7, %f0, %f1; min.f32 %f7, %f7, %f2;",
         extremes, IN_FLOATS},
        {"signs_of_floats", NULL,
         "copysign.f32 %f4, %f0, %f1; abs.f32 %f5, %f0; neg.f32 %f6, %f1;\n"
         "sub.f32 %f7, %f0, %f0; abs.f32 %f7, %f7;",
         signs, IN_FLOATS},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

/* --- comparisons ----------------------------------------------------------------- */

EXPECT(ordered)
{
    float a = single(A), b = single(B);
    bool nan = isnan(a) || isnan(b);
    const bool r[] = {a == b,       a != b && !nan, a<b, a <= b, a> b,
                      a >= b,       !nan,           a == b || nan,
                      a != b,       a < b || nan,   a <= b || nan,
                      a > b || nan, a >= b || nan,  nan};

    for (unsigned i = 0; i < 14; i++)
        d[i / 7] |= (uint64_t)r[i] << i;
}

EXPECT(kinds)
{
    float f = single(A);
    double x = real(B);

    d[0] = (uint64_t)(isfinite(f) != 0) | (uint64_t)(isinf(f) != 0) << 1 |
           (uint64_t)!isnan(f) << 2 | (uint64_t)(isnan(f) != 0) << 3 |
           (uint64_t)(f != 0 && fabsf(f) < 0x1p-126f) << 4;
    d[1] = (uint64_t)(isfinite(x) != 0) | (uint64_t)(x != 0 && fabs(x) < 0x1p-1022) << 1;
    d[2] = single(C) >= 0 ? A : B;
}

#define COMPARED(n, word, bit)                                                           \
    "setp." word ".f32 %p0, %f0, %f1; @%p0 or.b64 %d" n ", %d" n ", " bit ";\n"
#define WITHOUT_NAN                                                                      \
    COMPARED("0", "eq", "1")                                                             \
    COMPARED("0", "ne", "2")                                                             \
    COMPARED("0", "lt", "4")                                                             \
    COMPARED("0", "le", "8")                                                             \
    COMPARED("0", "gt", "16") COMPARED("0", "ge", "32") COMPARED("0", "num", "64")
#define WITH_NAN                                                                         \
    COMPARED("1", "equ", "128")                                                          \
    COMPARED("1", "neu", "256")                                                          \
    COMPARED("1", "ltu", "512")                                                          \
    COMPARED("1", "leu", "1024")                                                         \
    COMPARED("1", "gtu", "2048") COMPARED("1", "geu", "4096") COMPARED("1", "nan", "8192")

static void
test_comparisons(void **state)
{
    static const struct snippet list[] = {
        {"ordered", NULL, WITHOUT_NAN WITH_NAN, ordered, IN_D},
        {"kinds", NULL,
         "testp.finite.f32 %p0, %f0; testp.infinite.f32 %p1, %f0;\n"
         "testp.number.f32 %p2, %f0; testp.notanumber.f32 %p3, %f0;\n"
         "testp.subnormal.f32 %p4, %f0; selp.b64 %d0, 1, 0, %p0;\n"
         "@%p1 or.b64 %d0, %d0, 2; @%p2 or.b64 %d0, %d0, 4;\n"
         "@%p3 or.b64 %d0, %d0, 8; @%p4 or.b64 %d0, %d0, 16;\n"
         "testp.finite.f64 %p5, %x5; testp.subnormal.f64 %p6, %x5;\n"
         "selp.b64 %d1, 1, 0, %p5; @%p6 or.b64 %d1, %d1, 2;\n"
         "slct.b64.f32 %d2, %a, %b, %f2;",
         kinds, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

/* --- conversions ----------------------------------------------------------------- */

static double
integral(double x, unsigned mode)
{
    return mode == 0   ? nearbyint(x)
           : mode == 1 ? trunc(x)
           : mode == 2 ? floor(x)
                       : ceil(x);
}

static uint64_t
to_s32(double x, unsigned mode)
{
    double r = integral(x, mode);

    return isnan(x)            ? 0
           : r > 2147483647.0  ? 0x7fffffff
           : r < -2147483648.0 ? 0x80000000
                               : (uint32_t)(int32_t)r;
}

EXPECT(to_integers)
{
    for (unsigned i = 0; i < 4; i++)
        d[i] = to_s32((double)single(A), i);
}

EXPECT(to_unsigned)
{
    double f = trunc((double)single(A)), x = trunc(real(B));

    d[0] = isnan(f) || f < 0 ? 0 : f > 4294967295.0 ? UINT32_MAX : (uint64_t)f;
    d[1] = isnan(x)      ? 0x8000000000000000u
           : x < 0       ? 0
           : x >= 0x1p64 ? UINT64_MAX
                         : (uint64_t)x;
    d[2] = isnan(x)      ? 0x8000000000000000u
           : x >= 0x1p63 ? 0x7fffffffffffffffu
           : x < -0x1p63 ? 0x8000000000000000u
                         : (uint64_t)(int64_t)x;
    d[3] = isnan(f) || f < 0 ? 0 : f > 255 ? 255 : (uint64_t)f;
}

EXPECT(from_integers)
{
    for (unsigned i = 0; i < 4; i++) {
        volatile int64_t s = (int64_t)A;
        volatile uint32_t u = (uint32_t)B;
        volatile float f, g;

        fesetround(modes[i]);
        f = (float)s;
        g = (float)u;
        fesetround(FE_TONEAREST);
        d[i] = both(bits_of(f), bits_of(g));
    }
}

EXPECT(from_doubles)
{
    for (unsigned i = 0; i < 4; i++) {
        volatile double x = real(A);
        volatile float f;

        fesetround(modes[i]);
        f = (float)x;
        fesetround(FE_TONEAREST);
        d[i] = bits_of(f);
    }
}

EXPECT(integral_floats)
{
    for (unsigned i = 0; i < 4; i++) {
        float f = single(A);

        d[i] =
            isnan(f) ? 0x7fffffff : bits_of(copysignf((float)integral((double)f, i), f));
    }
}

/* A float as a binary format of so many bits of exponent and mantissa, to the nearest or
 * toward zero. */
static uint32_t
small(double x, int exponent_bits, int mantissa_bits, bool nearest)
{
    int bias = (1 << (exponent_bits - 1)) - 1, e;
    uint32_t sign = signbit(x) ? 1u << (exponent_bits + mantissa_bits) : 0;
    uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
    double scaled, r;

    if (isnan(x))
        return 0x7fff;
    if (isinf(x))
        return sign | infinity;
    if (x == 0)
        return sign;
    frexp(x, &e);
    e = e - 1 < 1 - bias ? 1 - bias : e - 1;
    scaled = ldexp(fabs(x), mantissa_bits - e);
    r = nearest ? nearbyint(scaled) : floor(scaled);
    /* A mantissa that overflows moves to the next exponent by itself. */
    r += ldexp((double)(e + bias - 1), mantissa_bits);
    if (r >= (double)infinity)
        return sign | (nearest ? infinity : infinity - 1);
    return sign | (uint32_t)r;
}

static double
large(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t m = bits & ((1u << mantissa_bits) - 1);
    int e = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
    double x;

    if (e == (1 << exponent_bits) - 1)
        x = m != 0 ? (double)NAN : (double)INFINITY;
    else if (e == 0)
        x = ldexp((double)m, 1 - bias - mantissa_bits);
    else
        x = ldexp((double)(m | 1u << mantissa_bits), e - bias - mantissa_bits);
    return (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -x : x;
}

#define HALF(bits) large((uint32_t)(bits)&0xffff, 5, 10)
#define BRAIN(bits) large((uint32_t)(bits)&0xffff, 8, 7)

EXPECT(halves)
{
    double f = (double)single(A);

    d[0] = small(f, 5, 10, true);
    d[1] = small(f, 5, 10, false);
    d[3] = (uint64_t)small((double)single(B), 5, 10, true) << 16 | small(f, 5, 10, true);
}

EXPECT(brains)
{
    double f = (double)single(A);

    d[0] = small(f, 8, 7, true);
    d[1] = small(f, 8, 7, false);
    d[3] = (uint64_t)small((double)single(B), 8, 7, true) << 16 | small(f, 8, 7, true);
}

EXPECT(widened)
{
    d[0] = bits_of((float)HALF(A));
    d[1] = bits_of((float)BRAIN(B));
    d[2] = bits_of(single(C));
    d[3] = 0x3f800000;
}

EXPECT(sums_of_halves)
{
    double a = HALF(A), b = HALF(B);

    d[0] = small(a + b, 5, 10, true);
    d[1] = small(a - b, 5, 10, true);
    d[2] = small(a * b, 5, 10, true);
    d[3] = (uint64_t)small(HALF(A >> 16) + HALF(B >> 16), 5, 10, true) << 16 |
           small(a + b, 5, 10, true);
}

EXPECT(extremes_of_halves)
{
    double a = HALF(A), b = HALF(B);
    float x = lesser((float)a, (float)b);

    d[0] = small((double)x, 5, 10, true);
    d[1] = small((double)(float)BRAIN(A), 8, 7, true);
    d[1] = isnan(BRAIN(A)) ? 0x7fff : d[1] & 0x7fff;
    d[2] = (uint64_t)(a < b) | (uint64_t)(a >= b || isnan(a) || isnan(b)) << 1;
}

#define TO_INTEGER(n, mode) "cvt." mode ".s32.f32 %r3, %f0; cvt.u64.u32 %d" n ", %r3;\n"
#define FROM_INTEGER(n, mode)                                                            \
    "cvt." mode ".f32.s64 %f3, %a; cvt." mode ".f32.u32 %f4, %r1;\n"                     \
    "mov.b32 %r3, %f3; mov.b32 %r4, %f4; mov.b64 %d" n ", {%r4, %r3};\n"

static void
test_conversions(void **state)
{
    static const struct snippet list[] = {
        {"to_integers", NULL,
         TO_INTEGER("0", "rni") TO_INTEGER("1", "rzi") TO_INTEGER("2", "rmi")
             TO_INTEGER("3", "rpi"),
         to_integers, IN_D},
        {"to_unsigned", NULL,
         "cvt.rzi.u32.f32 %r3, %f0; cvt.u64.u32 %d0, %r3; cvt.rzi.u64.f64 %d1, %x5;\n"
         "cvt.rzi.s64.f64 %d2, %x5; cvt.rzi.u8.f32 %r3, %f0; cvt.u64.u32 %d3, %r3;",
         to_unsigned, IN_D},
        {"from_integers", NULL,
         FROM_INTEGER("0", "rn") FROM_INTEGER("1", "rz") FROM_INTEGER("2", "rm")
             FROM_INTEGER("3", "rp"),
         from_integers, IN_D},
        {"from_doubles", NULL,
         "cvt.rn.f32.f64 %f4, %x4; cvt.rz.f32.f64 %f5, %x4;\n"
         "cvt.rm.f32.f64 %f6, %x4; cvt.rp.f32.f64 %f7, %x4;",
         from_doubles, IN_FLOATS},
        {"integral_floats", NULL,
         "cvt.rni.f32.f32 %f4, %f0; cvt.rzi.f32.f32 %f5, %f0;\n"
         "cvt.rmi.f32.f32 %f6, %f0; cvt.rpi.f32.f32 %f7, %f0;",
         integral_floats, IN_FLOATS},
        {"halves", NULL,
         "cvt.rn.f16.f32 %h4, %f0; cvt.u64.u16 %d0, %h4; cvt.rz.f16.f32 %h5, %f0;\n"
         "cvt.u64.u16 %d1, %h5; cvt.rn.f16x2.f32 %r3, %f1, %f0; cvt.u64.u32 %d3, %r3;",
         halves, IN_D},
        {"brains", NULL,
         "cvt.rn.bf16.f32 %h4, %f0; cvt.u64.u16 %d0, %h4; cvt.rz.bf16.f32 %h5, %f0;\n"
         "cvt.u64.u16 %d1, %h5; cvt.rn.bf16x2.f32 %r3, %f1, %f0; cvt.u64.u32 %d3, %r3;",
         brains, IN_D},
        {"widened", NULL,
         "cvt.f32.f16 %f4, %h0; cvt.f32.bf16 %f5, %h1; mov.b32 %f6, %r2;\n"
         "cvt.f64.f32 %x0, %f6; cvt.rn.f32.f64 %f6, %x0; mov.b32 %f7, 0f3f800000;",
         widened, IN_FLOATS},
        {"sums_of_halves", NULL,
         "add.f16 %h4, %h0, %h1; cvt.u64.u16 %d0, %h4; sub.rn.f16 %h4, %h0, %h1;\n"
         "cvt.u64.u16 %d1, %h4; mul.f16 %h4, %h0, %h1; cvt.u64.u16 %d2, %h4;\n"
         "add.f16x2 %r3, %r0, %r1; cvt.u64.u32 %d3, %r3;",
         sums_of_halves, IN_D},
        {"extremes_of_halves", NULL,
         "min.f16 %h4, %h0, %h1; cvt.u64.u16 %d0, %h4; abs.bf16 %h4, %h0;\n"
         "cvt.u64.u16 %d1, %h4; setp.lt.f16 %p0, %h0, %h1;\n"
         "setp.geu.f16 %p1, %h0, %h1; selp.b64 %d2, 1, 0, %p0;\n"
         "@%p1 or.b64 %d2, %d2, 2;",
         extremes_of_halves, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_conversions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
