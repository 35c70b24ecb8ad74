// links: common
/* The interval of a median, against published tables and coverage counted exactly. */
#include "numbers/statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

/* J.-Y. Le Boudec, "Performance Evaluation of Computer and Communication Systems", 2010,
 * table A.1 (confidence intervals of the median at 95%): n, rank of the lower end. */
static void
ranks_are_those_of_the_table(void **state)
{
    static const int TABLE[][2] = {{6, 1},   {8, 1},   {9, 2},   {10, 2},  {12, 3},
                                   {15, 4},  {20, 6},  {25, 8},  {30, 10}, {40, 14},
                                   {50, 18}, {60, 22}, {70, 27}, {100, 40}};

    (void)state;
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        assert_int_equal(median_interval_rank(TABLE[i][0]), TABLE[i][1]);
    for (int n = 0; n < 6; n++)
        assert_int_equal(median_interval_rank(n), 0);
}

/* All 2^n ways in which n samples can fall below or above the median, counted. */
static void
coverage_is_at_least_what_is_promised(void **state)
{
    (void)state;
    for (int n = 6; n <= 16; n++) {
        const int k = median_interval_rank(n);
        uint32_t covered = 0, tighter = 0;

        for (uint32_t way = 0; way < UINT32_C(1) << n; way++) {
            const int below = __builtin_popcount(way);

            covered += below >= k && n - below >= k;
            tighter += below >= k + 1 && n - below >= k + 1;
        }
        assert_true(covered >= 0.95 * (UINT32_C(1) << n));
        assert_true(tighter < 0.95 * (UINT32_C(1) << n));
    }
}

static void
the_interval_is_two_of_the_samples(void **state)
{
    const double samples[] = {5, 1, 4, 2, 9, 3, 8, 7, 6, 1000};
    const double few[] = {3, 1, 2};
    struct interval ten = median_interval(samples, 10), three = median_interval(few, 3);

    (void)state;
    assert_float_equal(ten.low, 2, 0);
    assert_float_equal(ten.high, 9, 0);
    assert_float_equal(three.low, 1, 0);
    assert_float_equal(three.high, 3, 0);
}

/* The upper end is beyond the samples where they are few, the lower end never is. */
static void
an_interval_of_redrawn_samples_is_wider_above(void **state)
{
    const double samples[] = {5, 1, 4, 2, 9, 3, 8, 7, 6, 10, 12}, same[] = {2, 2, 2};
    struct interval i = redrawn_interval(samples, 3);

    (void)state;
    assert_float_equal(i.low, 1, 0);
    assert_float_equal(i.high, 5 + 14 * 4, 1e-12);
    i = redrawn_interval(samples, 6);
    assert_float_equal(i.low, 1, 0);
    assert_float_equal(i.high, 9 + 8, 1e-12);
    i = redrawn_interval(samples, 11);
    assert_float_equal(i.low, 2, 0);
    assert_float_equal(i.high, 12, 1e-12);
    i = redrawn_interval(same, 3);
    assert_true(i.low == 2 && i.high == 2);
}

static void
a_difference_is_as_unsure_as_both(void **state)
{
    const struct interval a = {97, 104}, b = {8, 13}, none = {10, 10};
    struct interval d = interval_difference(100, a, 10, b);

    (void)state;
    assert_true(fabs(d.low - (90 - 4.2426406871)) < 1e-9);  /* sqrt(3^2 + 3^2) */
    assert_true(fabs(d.high - (90 + 4.4721359550)) < 1e-9); /* sqrt(4^2 + 2^2) */
    d = interval_difference(100, a, 10, none);
    assert_float_equal(d.low, 87, 1e-12);
    assert_float_equal(d.high, 94, 1e-12);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_those_of_the_table),
        cmocka_unit_test(coverage_is_at_least_what_is_promised),
        cmocka_unit_test(the_interval_is_two_of_the_samples),
        cmocka_unit_test(an_interval_of_redrawn_samples_is_wider_above),
        cmocka_unit_test(a_difference_is_as_unsure_as_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
