// links: common
/* Input values: the generator's known answers, the distributions, the number formats, and
 * that the batches of gen_fill are the elements of gen_fn.h. */
#include "numbers/dtype.h"
#include "numbers/gen.h"
#include "numbers/gen_fn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEED 0x243F6A8885A308D3u

static void
assert_words(struct philox got, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    assert_int_equal(got.word[0], a);
    assert_int_equal(got.word[1], b);
    assert_int_equal(got.word[2], c);
    assert_int_equal(got.word[3], d);
}

/* The known-answer vectors that come with the paper's own implementation, Random123. */
static void
test_philox(void **state)
{
    (void)state;
    assert_words(philox(0, 0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    assert_words(philox(UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX), 0x408f276d,
                 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    assert_words(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x13198a2e, 0x03707344),
                 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

static struct gen
uniform(enum dtype type, double a, double b)
{
    return (struct gen){.kind = GEN_UNIFORM, .dtype = (uint8_t)type, .a = a, .b = b};
}

static struct gen
integer(enum dtype type, double a, double b)
{
    return (struct gen){.kind = GEN_INTEGER, .dtype = (uint8_t)type, .a = a, .b = b};
}

/* Every generator and type: filled whole, in pieces that start anywhere, and one by one.
 */
static void
test_fill_is_elements(void **state)
{
    enum { COUNT = 5003 };
    const size_t room = COUNT * sizeof(double);
    char *whole = malloc(room), *pieces = malloc(room), *single = malloc(room);

    (void)state;
    for (int kind = GEN_CONSTANT; kind <= GEN_SORTED; kind++) {
        for (int type = 0; type < DTYPE_COUNT; type++) {
            const size_t size = dtype_size((enum dtype)type);
            struct gen g = {.kind = (uint8_t)kind,
                            .dtype = (uint8_t)type,
                            .stream = 3,
                            .columns = 70,
                            .range = 100,
                            .a = 1,
                            .b = 100,
                            .c = -5,
                            .d = 5,
                            .share = 0.5,
                            .integer = dtype_class((enum dtype)type) != CLASS_FLOAT,
                            .list_count = 3,
                            .list = {1, 2.5, 300, 0.25, 0.5, 1}};

            g.negate = kind == GEN_RAMP;
            gen_fill(&g, SEED, 0, COUNT, whole);
            for (uint64_t at = 0, step = 1; at < COUNT; at += step, step = step * 2 + 1) {
                if (step > COUNT - at)
                    step = COUNT - at;
                gen_fill(&g, SEED, at, step, pieces + at * size);
            }
            for (uint64_t i = 0; i < COUNT; i++)
                gen_store(g.dtype, gen_value(&g, SEED, i), single, i);
            assert_memory_equal(whole, pieces, COUNT * size);
            assert_memory_equal(whole, single, COUNT * size);
        }
    }
    free(whole);
    free(pieces);
    free(single);
}

static void
test_uniform(void **state)
{
    enum { COUNT = 100000 };
    float *v = malloc(COUNT * sizeof *v);
    struct gen g = uniform(DTYPE_F32, -3, 5);
    double sum = 0, lo = 9, hi = -9;

    (void)state;
    gen_fill(&g, SEED, 0, COUNT, v);
    for (int i = 0; i < COUNT; i++) {
        sum += v[i];
        lo = v[i] < lo ? v[i] : lo;
        hi = v[i] > hi ? v[i] : hi;
    }
    assert_true(lo >= -3 && lo < -2.99 && hi < 5 && hi > 4.99);
    assert_true(fabs(sum / COUNT - 1) < 0.05); /* deviation of the mean: 0.0073 */
    /* Bounds so close that rounding would reach the upper one. */
    g = uniform(DTYPE_F32, 1, 1 + 1.2e-7);
    gen_fill(&g, SEED, 0, COUNT, v);
    for (int i = 0; i < COUNT; i++)
        assert_true(v[i] == 1);
    free(v);
}

static void
test_integers(void **state)
{
    enum { COUNT = 100000 };
    int32_t *v = malloc(COUNT * sizeof *v);
    int seen[10] = {0};
    struct gen g = integer(DTYPE_I32, -4, 5);
    bool negative = false, positive = false;

    (void)state;
    gen_fill(&g, SEED, 0, COUNT, v);
    for (int i = 0; i < COUNT; i++) {
        assert_in_range(v[i] + 4, 0, 9);
        seen[v[i] + 4]++;
    }
    for (int k = 0; k < 10; k++)
        assert_in_range(seen[k], 9500, 10500); /* deviation: 95 */
    /* The whole range of the type, whose 2^32 numbers do not fit 32 bits. */
    g = integer(DTYPE_I32, -2147483648.0, 2147483647.0);
    gen_fill(&g, SEED, 0, COUNT, v);
    for (int i = 0; i < COUNT; i++) {
        negative = negative || v[i] < -2000000000;
        positive = positive || v[i] > 2000000000;
    }
    assert_true(negative && positive);
    free(v);
}

static void
test_normal(void **state)
{
    enum { COUNT = 200000 };
    double *v = malloc(COUNT * sizeof *v);
    struct gen g = {.kind = GEN_NORMAL, .dtype = DTYPE_F64, .a = 10, .b = 2};
    double mean = 0, square = 0, fourth = 0;

    (void)state;
    gen_fill(&g, SEED, 0, COUNT, v);
    for (int i = 0; i < COUNT; i++) {
        double x = (v[i] - 10) / 2;

        mean += x / COUNT;
        square += x * x / COUNT;
        fourth += x * x * x * x / COUNT;
    }
    assert_true(fabs(mean) < 0.02);
    assert_true(fabs(square - 1) < 0.02);
    assert_true(fabs(fourth - 3) < 0.15);
    free(v);
}

/* Our logarithm and waves against libm's. */
static void
test_elementary(void **state)
{
    (void)state;
    for (int i = 1; i < 20000; i++) {
        double x = i / 20000.0;

        assert_true(fabs(gen_log(x) - log(x)) <= 1e-15 * fabs(log(x)) + 1e-17);
    }
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t turn = (uint32_t)(i * 214748);
        double angle = (double)turn / 4294967296.0 * 6.283185307179586;

        assert_true(fabs(gen_wave(turn, 0) - cos(angle)) < 3e-15);
        assert_true(fabs(gen_wave(turn, 1) - sin(angle)) < 3e-15);
    }
}

static void
test_mostly(void **state)
{
    enum { COUNT = 100000 };
    int32_t *v = malloc(COUNT * sizeof *v);
    struct gen g = {.kind = GEN_MOSTLY,
                    .dtype = DTYPE_I32,
                    .integer = 1,
                    .b = 1000,
                    .c = 0,
                    .d = 9,
                    .share = 0.9};
    int often = 0;

    (void)state;
    gen_fill(&g, SEED, 0, COUNT, v);
    for (int i = 0; i < COUNT; i++) {
        often += v[i] == 1000;
        assert_true(v[i] == 1000 || (v[i] >= 0 && v[i] <= 9));
    }
    assert_in_range(often, 89500, 90500); /* deviation: 95 */
    free(v);
}

/* Another stream, seed or lane: another sequence. The same: the same, also negated. */
static void
test_streams(void **state)
{
    float a[64], b[64];
    struct gen g = uniform(DTYPE_F32, -1, 1), other = g;

    (void)state;
    gen_fill(&g, SEED, 0, 64, a);
    gen_fill(&g, SEED + 1, 0, 64, b);
    assert_memory_not_equal(a, b, sizeof a);
    other.stream = 1;
    gen_fill(&other, SEED, 0, 64, b);
    assert_memory_not_equal(a, b, sizeof a);
    g.negate = 1;
    gen_fill(&g, SEED, 0, 64, b);
    for (int i = 0; i < 64; i++)
        assert_true(a[i] == -b[i]);
}

static void
test_poison(void **state)
{
    unsigned char a[10007], b[10007 + 1];

    (void)state;
    b[10007] = 0xA5;
    gen_poison(SEED, sizeof a, a);
    gen_poison(SEED, 10007, b);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(b[10007], 0xA5);
    for (uint64_t block = 0; block < 10007 / 16; block++) {
        struct philox w = gen_poison_block(SEED, block);

        assert_memory_equal(a + 16 * block, w.word, 16);
    }
    gen_poison(SEED + 1, 10007, b);
    assert_memory_not_equal(a, b, sizeof a);
}

/* Half and bfloat16: every value survives, halves between two go to the even one. */
static void
test_narrow_formats(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        double half = gen_widen(bits, 5, 10), bf = gen_widen(bits, 8, 7);

        if (half == half)
            assert_int_equal(gen_narrow(half, 5, 10), bits);
        if (bf == bf)
            assert_int_equal(gen_narrow(bf, 8, 7), bits);
    }
    assert_int_equal(gen_narrow(1 + 0x1p-11, 5, 10), 0x3C00); /* tie, down to even */
    assert_int_equal(gen_narrow(1 + 0x3p-11, 5, 10), 0x3C02); /* tie, up to even */
    assert_int_equal(gen_narrow(1 + 0x1p-11 + 0x1p-40, 5, 10), 0x3C01);
    assert_int_equal(gen_narrow(65519.999, 5, 10), 0x7BFF);
    assert_int_equal(gen_narrow(65520, 5, 10), 0x7C00);
    assert_int_equal(gen_narrow(-1e300, 5, 10), 0xFC00);
    assert_int_equal(gen_narrow(0x1p-25, 5, 10), 0); /* half of the least, to even */
    assert_int_equal(gen_narrow(0x1.001p-25, 5, 10), 1);
    assert_int_equal(gen_narrow(-0.0, 5, 10), 0x8000);
    assert_int_equal(gen_narrow(0x1.ffcp-15, 5, 10), 0x0400); /* rounds up to a normal */
    assert_int_equal(gen_narrow(NAN, 5, 10) & 0x7E00, 0x7E00);
    assert_int_equal(gen_narrow(3.40282347e38, 8, 7), 0x7F80);
}

/* gcc's own half type says the same for numbers of every size. */
static void
test_half_against_gcc(void **state)
{
    uint32_t random = 12345;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        float x;
        _Float16 want;
        uint16_t bits;

        random = random * 1664525u + 1013904223u;
        memcpy(&x, &random, sizeof x);
        if (x != x)
            continue;
        want = (_Float16)x;
        memcpy(&bits, &want, sizeof bits);
        assert_int_equal(gen_narrow((double)x, 5, 10), bits);
    }
}

static void
test_stores_saturate(void **state)
{
    int8_t i8;
    uint32_t u32;
    int64_t i64;

    (void)state;
    gen_store(DTYPE_I8, 300, &i8, 0);
    assert_int_equal(i8, 127);
    gen_store(DTYPE_I8, -2.5, &i8, 0);
    assert_int_equal(i8, -2);
    gen_store(DTYPE_U32, -1, &u32, 0);
    assert_int_equal(u32, 0);
    gen_store(DTYPE_U32, 1e12, &u32, 0);
    assert_int_equal(u32, UINT32_MAX);
    gen_store(DTYPE_I64, -1e30, &i64, 0);
    assert_true(i64 == INT64_MIN);
    assert_true(gen_load(DTYPE_I8, &i8, 0) == -2);
}

/* The code next to `value` by trying all; between two the even one. */
static uint8_t
nearest_code(enum dtype type, double value)
{
    uint8_t best = 0;
    double least = INFINITY;

    for (int code = 0; code < 256; code++) {
        const uint8_t byte = (uint8_t)code;
        const double v = gen_load((uint8_t)type, &byte, 0);

        if (!isfinite(v) || signbit(v) != signbit(value))
            continue;
        if (fabs(v - value) < least || (fabs(v - value) == least && code % 2 == 0)) {
            least = fabs(v - value);
            best = byte;
        }
    }
    return best;
}

/* Every code comes back, and every value between and beyond goes to the nearest. */
static void
test_fp8(void **state)
{
    static const enum dtype TYPES[] = {DTYPE_E4M3, DTYPE_E5M2};
    static const uint8_t ONE[] = {0x38, 0x3C}, NAN_CODE[] = {0x7F, 0x7E};
    static const double LARGEST[] = {448, 57344};
    uint8_t got;

    (void)state;
    for (int t = 0; t < 2; t++) {
        for (int code = 0; code < 256; code++) {
            const uint8_t byte = (uint8_t)code;
            const double v = gen_load((uint8_t)TYPES[t], &byte, 0);

            gen_put((uint8_t)TYPES[t], v, &got, 0);
            if (isnan(v))
                assert_true(isnan(gen_load((uint8_t)TYPES[t], &got, 0)));
            else
                assert_int_equal(got, byte);
        }
        for (double v = LARGEST[t] * 1.5; v > 1e-8; v /= 1.0007) {
            gen_put((uint8_t)TYPES[t], v, &got, 0);
            assert_int_equal(got, nearest_code(TYPES[t], v));
            gen_put((uint8_t)TYPES[t], -v, &got, 0);
            assert_int_equal(got, nearest_code(TYPES[t], -v));
        }
        /* Ties: halfway between all neighbours. */
        for (int code = 0; code < 0x7B; code++) {
            const uint8_t pair[] = {(uint8_t)code, (uint8_t)(code + 1)};
            const double middle = (gen_load((uint8_t)TYPES[t], pair, 0) +
                                   gen_load((uint8_t)TYPES[t], pair, 1)) /
                                  2;

            gen_put((uint8_t)TYPES[t], middle, &got, 0);
            if (isfinite(middle))
                assert_int_equal(got, nearest_code(TYPES[t], middle));
        }
        gen_put((uint8_t)TYPES[t], 1, &got, 0);
        assert_int_equal(got, ONE[t]);
        gen_put((uint8_t)TYPES[t], (double)NAN, &got, 0);
        assert_int_equal(got, NAN_CODE[t]);
    }
    assert_true(gen_load(DTYPE_E4M3, &(uint8_t){0x7E}, 0) == 448);
    assert_true(gen_load(DTYPE_E4M3, &(uint8_t){0x78}, 0) == 256);
    assert_true(isnan(gen_load(DTYPE_E4M3, &(uint8_t){0xFF}, 0)));
    assert_true(gen_load(DTYPE_E5M2, &(uint8_t){0xFC}, 0) == -INFINITY);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox),
        cmocka_unit_test(test_fill_is_elements),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_elementary),
        cmocka_unit_test(test_mostly),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_poison),
        cmocka_unit_test(test_narrow_formats),
        cmocka_unit_test(test_fp8),
        cmocka_unit_test(test_half_against_gcc),
        cmocka_unit_test(test_stores_saturate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
