// links: exec ptx golden_kernels
/* The emulated GPU's arithmetic, its tensor cores' too, by kernels that nvcc compiled. */
#include "../fixtures/golden_kernels.h"

#include "emulator/exec/exec.h"
#include "emulator/exec/machine.h"
#include "emulator/exec/ops/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint16_t
half_bits(float v) /* of small multiples of 1/2 only */
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)(v == 0 ? 0
                             : (bits >> 16 & 0x8000) |
                                   ((bits >> 13 & 0x3ffff) - ((127 - 15) << 10)));
}

static void
test_tensor(void **state)
{
    struct golden x = golden_start(0, true);
    uint16_t *a = x.ha, *b = x.hb;
    float fa[256], fb[256], *c = x.hc;

    (void)state;
    for (int i = 0; i < 256; i++) {
        fa[i] = (float)(i * 37 % 19 - 9);
        fb[i] = (float)(i * 11 % 23) * 0.5f;
        a[i] = half_bits(fa[i]);
        b[i] = half_bits(fb[i]);
    }
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "tensor", 1, 32, 1);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = 1;

            for (int k = 0; k < 16; k++)
                sum += fa[i * 16 + k] * fb[j * 16 + k];
            assert_true(c[i * 16 + j] == sum);
        }
    golden_stop(&x);
}

static int64_t
integers(int64_t v, int i)
{
    uint64_t x = (uint64_t)v, r;
    uint32_t low = (uint32_t)x;
    __int128 square = (__int128)v * v;
    int32_t dot = 7;

    for (int k = 0; k < 4; k++)
        dot += (int8_t)(low >> (8 * k)) * (int8_t)((uint32_t)i >> (8 * k));
    r = (uint64_t)(v / 7 + v % 13) + (uint64_t)(int64_t)(square >> 64);
    r += (uint64_t)__builtin_popcountll(x) + (x != 0 ? (uint64_t)__builtin_clzll(x) : 64);
    r += (uint64_t)(v >> 3) + (x >> 5) + (uint64_t)(v < 5 ? v : 5) + (v < 0 ? 0 - x : x);
    r += (uint64_t)(int64_t)((int32_t)low / 3);
    r += (low & 0xff) | ((uint32_t)i & 0xff) << 8 | (low >> 8 & 0xff) << 16;
    r += (uint64_t)(int64_t)dot;
    return (int64_t)(r + (uint64_t)(int64_t)((square + v) >> 60));
}

static void
test_integers(void **state)
{
    struct golden x = golden_start(0, true);
    int64_t *a = x.ha, *c = x.hc;

    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = (i - 30) * 0x123456789abcdll;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "integers", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], integers(a[i], i));
    golden_stop(&x);
}

static uint32_t
bits_of(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* x + 1e-8 for |x| >= 0.5: only the last bit can tell the rounding modes apart. */
static void
test_rounding(void **state)
{
    struct golden x = golden_start(0, true);
    float *a = x.ha;
    uint32_t *c = x.hc;

    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = (float)(i - 32) * 1.25f + (i >= 32 ? 1.25f : 0);
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "rounding", 1, 64, 1);
    for (int i = 0; i < 64; i++) {
        uint32_t *o = c + (ptrdiff_t)8 * i;
        bool negative = a[i] < 0;
        double fused = (double)a[i] * (double)a[i] + 1e-8;
        float nearest = (float)fused;

        assert_int_equal(o[0], bits_of(a[i]) - negative);
        assert_int_equal(o[1], negative ? bits_of(a[i]) - 1 : bits_of(a[i]) + 1);
        assert_int_equal(
            o[2],
            bits_of((double)nearest > fused ? nextafterf(nearest, -1e30f) : nearest));
        assert_int_equal(o[3], bits_of(a[i] / 3.0f));
        assert_int_equal(o[4], bits_of(sqrtf(fabsf(a[i]))));
        assert_int_equal((int32_t)o[5], (int32_t)rintf(a[i]));
        assert_int_equal((int32_t)o[6], (int32_t)floorf(a[i]));
        assert_int_equal(o[7] >> 16, half_bits(a[i]));
        assert_int_equal(o[7] & 0xffff,
                         (bits_of(a[i]) + 0x7fff + (bits_of(a[i]) >> 16 & 1)) >> 16);
    }
    golden_stop(&x);
}

/* Corners that PTX defines; the figures are an H200's. */
static void
test_corners(void **state)
{
    struct golden x = golden_start(0, true);
    static const double largest = 0x1.fffffffffffffp1023, three = 3;
    static const uint32_t cell[] = {0x00800000, 0x007fffff, 0, 0x7f7fffff, 1};
    static const uint64_t want[] = {
        0x3fe279a74590331c, /* rsqrt(3.0): all of the mantissa */
        0,                  /* a subnormal reciprocal is flushed */
        1,                  /* zero is a normal number */
        0x80000000,         /* x / y is 0 if y is above 2^126, also if they are equal */
        0x00800000,         /* shared memory adds subnormals */
        0,                  /* relu(-0) */
        0,
        0xffff & ((-900000000 >> 16) + 0xffff),
    };
    uint64_t *o = x.hc;

    (void)state;
    memcpy(x.ha, &three, 8);
    memcpy((char *)x.ha + 8, &largest, 8);
    memcpy(x.hb, cell, sizeof cell);
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "corners", 1, 1, 1);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(o[i], want[i]);
    assert_int_equal(*(uint32_t *)x.hb, 0x00800000); /* global memory flushes them */
    golden_stop(&x);
}

/* e4m3's largest is 448 (0x7e); its exponent of all ones is no infinity. */
static void
test_eight_bits(void **state)
{
    (void)state;
    assert_int_equal(small_from_double(SMALL_E4M3, 448, ROUND_NEAREST, true), 0x7e);
    assert_int_equal(small_from_double(SMALL_E4M3, 1e6, ROUND_NEAREST, true), 0x7e);
    assert_int_equal(small_from_double(SMALL_E4M3, -1e6, ROUND_NEAREST, true), 0xfe);
    assert_int_equal(small_from_double(SMALL_E4M3, 1e6, ROUND_NEAREST, false), 0x7f);
    assert_int_equal(small_from_double(SMALL_E5M2, 1e6, ROUND_NEAREST, true), 0x7b);
    assert_int_equal(small_from_double(SMALL_E5M2, 1e6, ROUND_NEAREST, false), 0x7c);
}

static void
close_to(float got, double want, double tolerance)
{
    if (!(fabs((double)got - want) <= tolerance * fabs(want) + 1e-6))
        fail_msg("got %.9g, expected %.9g", (double)got, want);
}

static void
test_functions(void **state)
{
    struct golden x = golden_start(0, true);
    float *a = x.ha, *c = x.hc;

    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = (float)i * 0.11f + 0.01f;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "functions", 1, 64, 1);
    for (int i = 0; i < 64; i++) {
        double v = (double)a[i];
        const float *o = c + (ptrdiff_t)8 * i;

        close_to(o[0], exp(v), 3e-7);
        close_to(o[1], log(v), 3e-7);
        close_to(o[2], sin(v), 3e-7);
        close_to(o[3], cos(v), 1e-6);
        close_to(o[4], tanh(v), 3e-7);
        close_to(o[5], 1 / sqrt(v), 3e-7);
        close_to(o[6], pow(v, (double)1.7f), 5e-7);
        assert_true(o[7] == (float)exp(v));
    }
    golden_stop(&x);
}

/* The handlers for AVX2 and those for any processor compute the same bits; so do any
 * number of workers. */
static void
run_functions(int threads, bool avx2, void *out, float *sum)
{
    struct golden x = golden_start(threads, true);
    float *a = x.ha;
    int n = 100000;

    x.m->avx2 = x.m->avx2 && avx2;
    for (int i = 0; i < n; i++)
        a[i] = (float)(i + 1) * 0.0137f;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "functions", 1, 256, 1);
    memcpy(out, x.hc, 8 * 256 * sizeof(float));
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, n);
    golden_launch_ok(&x, "reduce", 64, 256, 1);
    *sum = *(float *)x.hb;
    golden_stop(&x);
}

static void
test_same_bits(void **state)
{
    static float first[8 * 256], second[8 * 256];
    float a, b;

    (void)state;
    run_functions(1, true, first, &a);
    run_functions(5, false, second, &b);
    assert_memory_equal(first, second, sizeof first);
    assert_memory_equal(&a, &b, sizeof a);
}

static void
test_atomics(void **state)
{
    struct golden x = golden_start(0, true);
    int *c = x.hc;

    (void)state;
    PUSH(&x, x.c);
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    golden_launch_ok(&x, "atomics", 1, 64, 1);
    assert_int_equal(c[0], 63);
    assert_int_equal(c[1], -63);
    assert_int_equal(c[2], 64 % 11);
    assert_int_equal(c[3], 0);
    assert_int_equal(c[4], 1);
    assert_int_equal(c[5], 63);
    assert_int_equal(c[6], (int)((uint32_t)half_bits(128) << 16 | half_bits(64)));
    for (int i = 1; i < 64; i++)
        assert_int_equal(c[8 + i], i - 1);
    assert_true(*(float *)x.ha == 96.0f);
    assert_int_equal(*(uint64_t *)x.hb, (uint64_t)64 << 33);
    golden_stop(&x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor),    cmocka_unit_test(test_integers),
        cmocka_unit_test(test_rounding),  cmocka_unit_test(test_functions),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_corners),   cmocka_unit_test(test_eight_bits),
    };

    return cmocka_run_group_tests(tests, golden_read, NULL);
}
