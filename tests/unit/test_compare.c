// links: common
/* Right or wrong: tolerances at their edge, NaN, infinities, integers, and what is
 * counted. */
#include "numbers/compare.h"
#include "numbers/compare_fn.h"
#include "numbers/compare_rows.h"
#include "numbers/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct compare_rule CLOSE = {.dtype = DTYPE_F32, .atol = 0.5, .rtol = 0.25};
static const struct compare_rule EXACT = {.dtype = DTYPE_F32, .exact = 1};

static bool
right(const struct compare_rule *rule, float got, float want)
{
    struct compare_result r;
    bool by_value = compare_value(rule, (double)got, (double)want) != 0;

    compare_run(rule, &got, &want, 1, &r);
    assert_int_equal(r.wrong == 0, by_value);
    assert_true(r.first == (by_value ? UINT64_MAX : 0));
    return by_value;
}

static void
test_tolerance(void **state)
{
    (void)state;
    assert_true(right(&CLOSE, 8, 8));
    assert_true(right(&CLOSE, 10.5F, 8)); /* 0.5 + 0.25 * 8: exactly at the edge */
    assert_true(right(&CLOSE, 5.5F, 8));
    assert_false(right(&CLOSE, nextafterf(10.5F, 11), 8));
    assert_false(right(&CLOSE, nextafterf(5.5F, 5), 8));
    assert_true(right(&CLOSE, -10.5F, -8));
    assert_false(right(&CLOSE, 8, -8));
    assert_true(right(&CLOSE, 0.5F, 0));
    assert_true(right(&CLOSE, -0.0F, 0.0F));
}

static void
test_not_finite(void **state)
{
    (void)state;
    assert_false(right(&CLOSE, NAN, 1));
    assert_false(right(&CLOSE, 1, NAN));
    assert_true(right(&CLOSE, NAN, NAN));
    assert_true(right(&CLOSE, NAN, -NAN));
    assert_true(right(&CLOSE, INFINITY, INFINITY));
    assert_false(right(&CLOSE, -INFINITY, INFINITY));
    assert_false(right(&CLOSE, 3e38F, INFINITY));
    assert_false(right(&CLOSE, INFINITY, 3e38F));
    assert_false(right(&CLOSE, NAN, INFINITY));
    assert_false(right(&CLOSE, INFINITY, NAN));
}

static void
test_exact(void **state)
{
    (void)state;
    assert_true(right(&EXACT, 1, 1));
    assert_false(right(&EXACT, 1, nextafterf(1, 2)));
    assert_true(right(&EXACT, 0.0F, -0.0F));
    assert_true(right(&EXACT, NAN, -NAN));
    assert_false(right(&EXACT, NAN, 0));
}

static void
test_counts(void **state)
{
    enum { COUNT = 100000 };
    float *got = calloc(COUNT, sizeof *got), *want = calloc(COUNT, sizeof *want);
    struct compare_result r;

    (void)state;
    compare_run(&CLOSE, got, want, COUNT, &r);
    assert_int_equal(r.wrong, 0);
    assert_true(r.first == UINT64_MAX && r.max_abs_error == 0);
    for (int i = 0; i < COUNT; i++)
        got[i] = 0.25F; /* differs everywhere, right everywhere */
    compare_run(&CLOSE, got, want, COUNT, &r);
    assert_int_equal(r.wrong, 0);
    got[99999] = 7;
    got[5000] = NAN;
    got[70001] = -INFINITY;
    got[70002] = -3;
    want[80000] = NAN; /* got is 0.25: wrong, without a finite error */
    compare_run(&CLOSE, got, want, COUNT, &r);
    assert_int_equal(r.wrong, 5);
    assert_int_equal(r.first, 5000);
    assert_int_equal(r.nan, 1);
    assert_int_equal(r.inf, 1);
    assert_true(r.max_abs_error == 7);
    compare_run(&CLOSE, got, want, 0, &r);
    assert_int_equal(r.wrong, 0);
    free(got);
    free(want);
}

/* All types: the last element of an odd count, one unit off. */
static void
test_types(void **state)
{
    enum { COUNT = 4099 };

    (void)state;
    for (int type = 0; type < DTYPE_COUNT; type++) {
        const size_t size = dtype_size((enum dtype)type);
        struct compare_rule rule = {.dtype = (uint8_t)type, .exact = 1};
        unsigned char *got = calloc(COUNT, size), *want = calloc(COUNT, size);
        struct compare_result r;

        compare_run(&rule, got, want, COUNT, &r);
        assert_int_equal(r.wrong, 0);
        got[COUNT * size - size] = 1; /* the low byte of the last element */
        compare_run(&rule, got, want, COUNT, &r);
        assert_int_equal(r.wrong, 1);
        assert_int_equal(r.first, COUNT - 1);
        free(got);
        free(want);
    }
}

/* Beyond 2^53 doubles cannot tell neighbours apart; integers must. */
static void
test_wide_integers(void **state)
{
    const int64_t got = INT64_MAX - 1, want = INT64_MAX;
    struct compare_rule rule = {.dtype = DTYPE_I64, .exact = 1};
    struct compare_result r;

    (void)state;
    compare_run(&rule, &got, &want, 1, &r);
    assert_int_equal(r.wrong, 1);
}

static void
test_join(void **state)
{
    struct compare_result sum = compare_nothing(), part = compare_nothing();

    (void)state;
    compare_count(&part, NAN, 1, 90);
    compare_join(&sum, &part);
    part = compare_nothing();
    compare_count(&part, 5, 1, 40);
    compare_join(&sum, &part);
    assert_int_equal(sum.wrong, 2);
    assert_int_equal(sum.first, 40);
    assert_int_equal(sum.nan, 1);
    assert_true(sum.max_abs_error == 4);
}

/* So many steps of the type away is right, one more is not. */
static void
test_ulp(void **state)
{
    static const struct {
        enum dtype type;
        double want, step;
    } CASES[] = {
        {DTYPE_F32, 1, 0x1p-23},  {DTYPE_F32, -1.5, 0x1p-23},
        {DTYPE_F32, 0, 0x1p-149}, {DTYPE_F32, 1e-40, 0x1p-149},
        {DTYPE_F64, 2, 0x1p-51},  {DTYPE_F16, 1024, 1},
        {DTYPE_F16, 0, 0x1p-24},  {DTYPE_BF16, 256, 2},
        {DTYPE_E4M3, 448, 32},    {DTYPE_E5M2, 1, 0.25},
        {DTYPE_I32, 1000000, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct compare_rule rule = {.dtype = (uint8_t)CASES[i].type, .ulp = 2};
        const double want = CASES[i].want, step = CASES[i].step;

        assert_true(compare_value(&rule, want, want));
        assert_true(compare_value(&rule, want + 2 * step, want));
        assert_true(compare_value(&rule, want - 2 * step, want));
        assert_false(compare_value(&rule, want + 3 * step, want));
        assert_false(compare_value(&rule, want - 3 * step, want));
        assert_false(compare_value(&rule, (double)NAN, want));
    }
}

/* The quick way over whole chunks has no ulp. */
static void
test_ulp_of_many(void **state)
{
    const struct compare_rule rule = {.dtype = DTYPE_F32, .ulp = 1};
    float want[5000], got[5000];
    struct compare_result r;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        want[i] = (float)(i + 1);
        got[i] = nextafterf(want[i], INFINITY);
    }
    compare_run(&rule, got, want, 5000, &r);
    assert_int_equal(r.wrong, 0);
    got[4321] = nextafterf(got[4321], INFINITY);
    compare_run(&rule, got, want, 5000, &r);
    assert_int_equal(r.wrong, 1);
    assert_int_equal(r.first, 4321);
}

static void
test_rows(void **state)
{
    const float want[] = {1, 2, 3, 4, 0, NAN, 7, 7};
    const float same[] = {4, 3, 2, 1, 7, NAN, 7, -0.0F};
    const float other[] = {1, 2, 3, 4, 7, NAN, 0, 0};
    const float moved[] = {1, 2, 3, 7, 0, NAN, 4, 7};
    const int64_t wide[] = {INT64_MAX, INT64_MAX - 1};
    const int64_t twice[] = {INT64_MAX, INT64_MAX};
    struct compare_rows_result r;

    (void)state;
    compare_rows(DTYPE_F32, same, want, 2, 4, &r);
    assert_true(r.wrong == 0 && r.first == UINT64_MAX);
    compare_rows(DTYPE_F32, other, want, 2, 4, &r);
    assert_true(r.wrong == 1 && r.first == 1 && r.missing == 6);
    compare_rows(DTYPE_F32, moved, want, 2, 4, &r); /* across rows */
    assert_true(r.wrong == 2 && r.first == 0 && r.missing == 3);
    compare_rows(DTYPE_F32, moved, want, 1, 8, &r);
    assert_int_equal(r.wrong, 0);
    compare_rows(DTYPE_I64, twice, wide, 1, 2, &r);
    assert_true(r.wrong == 1 && r.missing == 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tolerance),   cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_exact),       cmocka_unit_test(test_counts),
        cmocka_unit_test(test_types),       cmocka_unit_test(test_wide_integers),
        cmocka_unit_test(test_join),        cmocka_unit_test(test_ulp),
        cmocka_unit_test(test_ulp_of_many), cmocka_unit_test(test_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
