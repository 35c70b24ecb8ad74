// links: exec ptx snippet
/* Conversions of numbers, as programs of strangers use them (PTX ISA 9.7.9.21), and
 * arithmetic of halves. The host computes in each rounding mode. */
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
        cmocka_unit_test(test_conversions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
