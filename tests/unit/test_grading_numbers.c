// links: common
/* What bulk grading computes: pass@k against a count of all choices, and ratios with
 * their intervals. */
#include "numbers/pass_at_k.h"
#include "numbers/ratio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

/* Of all choices of k of n answers, the first c of which pass: the share with one that
 * does. */
static double
counted(int n, int c, int k)
{
    int all = 0, passed = 0;

    for (unsigned chosen = 0; chosen < 1u << n; chosen++) {
        if (__builtin_popcount(chosen) != k)
            continue;
        all++;
        passed += (chosen & ((1u << c) - 1)) != 0;
    }
    return (double)passed / all;
}

static void
pass_at_k_is_the_share_of_choices(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n++)
        for (int c = 0; c <= n; c++)
            for (int k = 1; k <= n; k++)
                assert_float_equal(pass_at_k(n, c, k), counted(n, c, k), 1e-12);
}

static void
few_answers_say_nothing(void **state)
{
    (void)state;
    assert_true(isnan(pass_at_k(4, 4, 5)));
    assert_true(isnan(pass_at_k(0, 0, 1)));
    assert_true(isnan(pass_at_k(4, 1, 0)));
}

/* C(199000, 100) has more digits than a double's exponent can tell. */
static void
large_numbers_do_not_overflow(void **state)
{
    (void)state;
    assert_float_equal(pass_at_k(200000, 1000, 1), 0.005, 1e-12);
    assert_true(fabs(pass_at_k(200000, 1000, 100) - (1 - pow(0.995, 100))) < 1e-3);
    assert_float_equal(pass_at_k(200000, 0, 100), 0, 0);
    assert_float_equal(pass_at_k(200000, 200000, 100), 1, 0);
}

static void
a_ratio_holds_all_ratios(void **state)
{
    const struct interval own = {40, 60}, theirs = {90, 120};
    const struct ratio ratio = ratio_of(50, own, 100, theirs);

    (void)state;
    assert_float_equal(ratio.value, 2, 0);
    assert_float_equal(ratio.low, 1.5, 0);
    assert_float_equal(ratio.high, 3, 0);
    for (int t = 40; t <= 60; t += 5)
        for (int b = 90; b <= 120; b += 5) {
            const double r = (double)b / t;

            assert_true(ratio.low <= r && r <= ratio.high);
        }
}

static void
only_intervals_apart_are_faster(void **state)
{
    const struct interval low = {1, 2}, touches = {2, 3}, above = {2.5, 3},
                          holds = {0, 9};

    (void)state;
    assert_int_equal(ratio_faster(low, above), FASTER_YES);
    assert_int_equal(ratio_faster(above, low), FASTER_NO);
    assert_int_equal(ratio_faster(low, touches), FASTER_UNSURE);
    assert_int_equal(ratio_faster(touches, low), FASTER_UNSURE);
    assert_int_equal(ratio_faster(low, holds), FASTER_UNSURE);
    assert_int_equal(ratio_faster(low, low), FASTER_UNSURE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pass_at_k_is_the_share_of_choices),
        cmocka_unit_test(few_answers_say_nothing),
        cmocka_unit_test(large_numbers_do_not_overflow),
        cmocka_unit_test(a_ratio_holds_all_ratios),
        cmocka_unit_test(only_intervals_apart_are_faster),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
