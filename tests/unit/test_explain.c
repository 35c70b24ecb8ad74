// links: arbiter device gpu_owner sandbox common
/* The sentences that a user reads. */
#include "arbiter/judging/explain.h"

#include "numbers/gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void
expect_number(enum dtype type, const void *element, const char *want)
{
    struct buf out = {0};

    explain_number(&out, type, element);
    assert_string_equal(buf_str(&out), want);
    buf_free(&out);
}

#define EXPECT(dtype, ctype, value, want)                                                \
    do {                                                                                 \
        const ctype element = (value);                                                   \
        expect_number(dtype, &element, want);                                            \
    } while (0)

static void
numbers_are_as_short_as_exact(void **state)
{
    (void)state;
    EXPECT(DTYPE_F32, float, 0, "0");
    EXPECT(DTYPE_F32, float, -0.0f, "-0");
    EXPECT(DTYPE_F32, float, 154.25f, "154.25");
    EXPECT(DTYPE_F32, float, 0.1f, "0.1");
    EXPECT(DTYPE_F32, float, 16777217.0f, "16777216");
    EXPECT(DTYPE_F32, float, 1e30f, "1e+30");
    EXPECT(DTYPE_F32, float, NAN, "NaN");
    EXPECT(DTYPE_F32, float, -INFINITY, "-infinity");
    EXPECT(DTYPE_F64, double, 0.1, "0.1");
    EXPECT(DTYPE_F64, double, 0.1 + 0.2, "0.30000000000000004");
    EXPECT(DTYPE_F16, uint16_t, 0x3e00, "1.5");
    EXPECT(DTYPE_BF16, uint16_t, 0x3fc0, "1.5");
    EXPECT(DTYPE_I8, int8_t, -128, "-128");
    EXPECT(DTYPE_U8, uint8_t, 255, "255");
    EXPECT(DTYPE_I32, int32_t, INT32_MIN, "-2147483648");
    EXPECT(DTYPE_I64, int64_t, INT64_MIN, "-9223372036854775808");
    EXPECT(DTYPE_U64, uint64_t, UINT64_MAX, "18446744073709551615");
}

static void
expect_place(const struct extent *e, uint64_t flat, const char *want)
{
    struct buf out = {0};

    explain_place(&out, "C", e, flat);
    assert_string_equal(buf_str(&out), want);
    buf_free(&out);
}

static void
places_follow_the_shape(void **state)
{
    const struct extent line = {.rank = 1, .dim = {31}, .count = 31};
    const struct extent matrix = {.rank = 2, .dim = {3, 7}, .count = 21};
    const struct extent cube = {.rank = 3, .dim = {2, 3, 4}, .count = 24};

    (void)state;
    expect_place(&line, 30, "C[30]");
    expect_place(&matrix, 0, "C[0][0]");
    expect_place(&matrix, 19, "C[2][5]");
    expect_place(&cube, 23, "C[1][2][3]");
}

static void
mismatches_say_where_and_how_far(void **state)
{
    const struct extent line = {.rank = 1, .dim = {31}, .count = 31};
    const struct param c = {.name = "C", .type = DTYPE_F32};
    const struct compare_result one = {.wrong = 1, .first = 30, .max_abs_error = 154.25};
    const struct compare_result many = {
        .wrong = 3, .first = 0, .nan = 2, .inf = 1, .max_abs_error = 0};
    const float zero = 0, want = 154.25f, nan = NAN;
    struct mismatch m = {.where = "test 8 (N=31)",
                         .param = &c,
                         .extent = &line,
                         .result = &one,
                         .got = &zero,
                         .want = &want};
    char *text = explain_mismatch(&m);

    (void)state;
    assert_string_equal(text,
                        "test 8 (N=31): C[30] is 0 where 154.25 is expected (absolute "
                        "error 154.25, relative 1); 1 of 31 elements is wrong");
    free(text);
    m.result = &many;
    m.got = &nan;
    m.before = &zero;
    text = explain_mismatch(&m);
    assert_string_equal(
        text, "test 8 (N=31): C[0] is NaN where 154.25 is expected; 3 of 31 elements are "
              "wrong, 2 of them NaN, 1 of them infinite");
    free(text);
}

/* What is said of an output by what it held before the call. */
static void
test_traces(void **state)
{
    static const struct extent extent = {.rank = 1, .dim = {8}, .count = 8};
    static const struct compare_result result = {.wrong = 1};
    static const char nothing[] = "it seems that nothing is ever written there",
                      swallowed[] = "either nothing is written there, or what is added",
                      added[] = "is the expected value plus what was in memory before "
                                "the call (";
    static const struct {
        float before, want, got;
        const char *says; /* NULL: nothing of that kind */
    } real[] = {
        {3, 36, 3, nothing},          {1e20F, 36, 1e20F, swallowed},
        {1e20F, 0, 1e20F, swallowed}, {-5000, 36, -4964, added},
        {7, 36, 43.0001F, added},     {7, 36, 44, NULL},
        {1e-20F, 36, 36.5F, NULL},    {1e-20F, 36, 36.001F, NULL},
        {NAN, 36, NAN, swallowed},
    };
    static const struct {
        int32_t before, want, got;
        const char *says;
    } whole[] = {
        {1234567, 5, 1234567, nothing},
        {1234567, 0, 1234567, swallowed},
        {2147483647, 5, -2147483644, added},
        {1234567, 5, 6, NULL},
    };
    struct param param = {.name = "C", .type = DTYPE_F32};
    struct mismatch m = {
        .where = "test 1", .param = &param, .extent = &extent, .result = &result};

    (void)state;
    for (size_t i = 0; i < sizeof real / sizeof *real + sizeof whole / sizeof *whole;
         i++) {
        const size_t k = i - sizeof real / sizeof *real;
        const bool is_real = i < sizeof real / sizeof *real;
        const char *says = is_real ? real[i].says : whole[k].says;
        char *text;

        param.type = is_real ? DTYPE_F32 : DTYPE_I32;
        m.before = is_real ? (const void *)&real[i].before : &whole[k].before;
        m.want = is_real ? (const void *)&real[i].want : &whole[k].want;
        m.got = is_real ? (const void *)&real[i].got : &whole[k].got;
        text = explain_mismatch(&m);
        if (says != NULL ? strstr(text, says) == NULL
                         : strstr(text, "before the call") != NULL)
            fail_msg("case %zu: %s", i, text);
        free(text);
    }
}

/* What is said of an output in 16 bits whose sum was kept in 16 bits. */
static void
test_sums_in_halves(void **state)
{
    static const struct {
        enum dtype type;
        double got, want;
        const char *says; /* NULL: nothing */
    } CASES[] = {
        {DTYPE_F16, 2048, 2100, "perhaps a sum is kept in float16"},
        {DTYPE_BF16, 256, 260, "perhaps a sum is kept in bfloat16"},
        {DTYPE_F16, INFINITY, 60000, "float16 ends at 65504"},
        {DTYPE_F16, 7, 2100, NULL},
        {DTYPE_F16, 0, 2100, NULL},
        {DTYPE_F32, 2048, 2100, NULL},
    };
    static const struct extent extent = {.rank = 1, .dim = {8}, .count = 8};
    static const struct compare_result result = {.wrong = 1};

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct param param = {.name = "C", .type = CASES[i].type};
        uint64_t got, want;
        const struct mismatch m = {.where = "test 1 (N=8)",
                                   .param = &param,
                                   .extent = &extent,
                                   .result = &result,
                                   .got = &got,
                                   .want = &want};
        char *text;

        gen_put((uint8_t)param.type, CASES[i].got, &got, 0);
        gen_put((uint8_t)param.type, CASES[i].want, &want, 0);
        text = explain_mismatch(&m);
        if (CASES[i].says != NULL ? strstr(text, CASES[i].says) == NULL
                                  : strstr(text, "float") != NULL)
            fail_msg("case %zu: %s", i, text);
        free(text);
    }
}

static void
expect_values(const struct extent *e, const char *want)
{
    int32_t values[64];
    struct buf out = {0};

    for (int i = 0; i < 64; i++)
        values[i] = i;
    explain_values(&out, DTYPE_I32, e, values, e->count);
    assert_string_equal(buf_str(&out), want);
    buf_free(&out);
}

static void
values_are_cut_and_grouped(void **state)
{
    (void)state;
    expect_values(&(struct extent){.rank = 1, .dim = {1}, .count = 1}, "[0]");
    expect_values(&(struct extent){.rank = 1, .dim = {3}, .count = 3}, "[0, 1, 2]");
    expect_values(&(struct extent){.rank = 1, .dim = {20}, .count = 20},
                  "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...]");
    expect_values(&(struct extent){.rank = 2, .dim = {2, 3}, .count = 6},
                  "[[0, 1, 2], [3, 4, 5]]");
    expect_values(&(struct extent){.rank = 2, .dim = {8, 4}, .count = 32},
                  "[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15], ...]");
    expect_values(&(struct extent){.rank = 2, .dim = {4, 5}, .count = 20},
                  "[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, ...]]");
}

static void
strangers_text_is_tamed(void **state)
{
    struct buf out = {0};
    char *text = explain_signal(SIGSEGV);

    (void)state;
    explain_untrusted(&out, "ok\n\033[31mred\x80", 12, 100);
    assert_string_equal(buf_str(&out), "ok\n?[31mred?");
    buf_clear(&out);
    explain_untrusted(&out, "abcdef", 6, 3);
    assert_string_equal(buf_str(&out), "abc...");
    buf_free(&out);
    assert_ptr_equal(strstr(text, "SIGSEGV ("), text);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_sums_in_halves),
        cmocka_unit_test(numbers_are_as_short_as_exact),
        cmocka_unit_test(places_follow_the_shape),
        cmocka_unit_test(mismatches_say_where_and_how_far),
        cmocka_unit_test(values_are_cut_and_grouped),
        cmocka_unit_test(strangers_text_is_tamed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
