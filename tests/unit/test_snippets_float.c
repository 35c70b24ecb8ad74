// links: exec ptx snippet
/* Floating-point numbers, as programs of strangers use them (PTX ISA 9.7.3, .4, .5). The
 * host computes in each rounding mode. */
#include "../fixtures/float_bits.h"
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_comparisons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
