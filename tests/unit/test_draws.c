// links: common
/*
 * Who submits one source fifty times gains no rank by it. Each judgement on emu draws its
 * inputs, and a time that depends on them is another one each time. Here the times are
 * simulated: one user keeps the best of fifty judgements, the other was judged once.
 * Their intervals (numbers/statistics.h), as far as they count
 * (record/ranked_interval.h), must make the two share a rank.
 */
#include "numbers/statistics.h"
#include "record/ranked_interval.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define SAMPLES_MAX 16
#define JUDGEMENTS 50
#define BOARDS 500

/* --- times -------------------------------------------------------------------------- */

static uint64_t state;

/* From 0 to 1, without the ends (G. Marsaglia, "Xorshift RNGs", 2003). */
static double
draw_uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double
draw_normal(void)
{
    return sqrt(-2 * log(draw_uniform())) * cos(6.283185307179586 * draw_uniform());
}

/* Seldom longer, as with a search that goes on. */
static double
draw_exponential(void)
{
    return -log(draw_uniform());
}

/* Seldom shorter, as with a search that ends early. */
static double
draw_early_end(void)
{
    return log(draw_uniform());
}

static double
draw_lognormal(void)
{
    return exp(draw_normal());
}

static double
draw_two_values(void)
{
    return draw_uniform() < 0.4 ? 0 : 1;
}

static double spread_ns; /* what one unit of a draw adds to a time */

/* One judgement with n timed calls of 100 us and something that follows from the data. */
static struct measured
judge_once(double (*draw)(void), int n)
{
    double ns[SAMPLES_MAX];
    struct interval i;

    for (int k = 0; k < n; k++)
        ns[k] = 100e3 + spread_ns * draw();
    i = redrawn_interval(ns, n);
    return (struct measured){quantile(ns, n, 0.5), i.low, i.high};
}

static struct measured
judge_often(double (*draw)(void), int n)
{
    struct measured best = judge_once(draw, n);

    for (int k = 1; k < JUDGEMENTS; k++) {
        const struct measured m = judge_once(draw, n);

        if (m.time_ns < best.time_ns)
            best = m;
    }
    return best;
}

/* On how many boards the one who was judged often is ahead of the one judged once. */
static int
boards_gained(double (*draw)(void), int n)
{
    int gained = 0;

    state = 0x9e3779b97f4a7c15;
    for (int b = 0; b < BOARDS; b++) {
        const struct measured once = judge_once(draw, n), often = judge_often(draw, n);
        const struct measured as_ranked[] = {ranked_interval(&once, "emu"),
                                             ranked_interval(&often, "emu")};
        const struct place place = place_among(&as_ranked[0], &as_ranked[1], 1);

        gained += place_rank(&place) > 1;
    }
    return gained;
}

/* --- tests -------------------------------------------------------------------------- */

static void
fifty_judgements_are_worth_one(void **unused)
{
    static double (*const draws[])(void) = {draw_uniform, draw_normal, draw_exponential,
                                            draw_early_end, draw_lognormal};

    (void)unused;
    spread_ns = 1e3;
    for (int d = 0; d < COUNT(draws); d++)
        for (int n = 3; n <= SAMPLES_MAX; n++) {
            const int gained = boards_gained(draws[d], n);

            if (gained > BOARDS / 100)
                fail_msg("distribution %d, %d calls: %d of %d boards", d, n, gained,
                         BOARDS);
        }
}

/* Of wider intervals a part counts: it suffices for times that differ by 3%, and with
 * sixteen calls for such as differ by 20%. With three calls one is then often ahead. */
static void
so_are_they_where_times_differ_by_much(void **unused)
{
    (void)unused;
    spread_ns = 3e3;
    for (int n = 3; n <= SAMPLES_MAX; n++)
        assert_true(boards_gained(draw_normal, n) <= BOARDS / 50);
    spread_ns = 20e3;
    assert_true(boards_gained(draw_normal, SAMPLES_MAX) <= BOARDS / 50);
    assert_true(boards_gained(draw_exponential, SAMPLES_MAX) <= BOARDS / 50);
    assert_true(boards_gained(draw_normal, 3) > BOARDS / 50);
}

/* All calls of a judgement can then be of the shorter kind. Ten calls make that rare. */
static void
times_of_two_values_need_ten_calls(void **unused)
{
    (void)unused;
    spread_ns = 1e3;
    for (int n = 10; n <= SAMPLES_MAX; n++)
        assert_true(boards_gained(draw_two_values, n) <= BOARDS / 100);
    assert_true(boards_gained(draw_two_values, 3) > BOARDS / 100);
}

/* The median's plain interval would not do. */
static void
the_largest_of_few_samples_is_not_enough(void **unused)
{
    int gained = 0;

    (void)unused;
    spread_ns = 1e3;
    state = 0x9e3779b97f4a7c15;
    for (int b = 0; b < BOARDS; b++) {
        const struct measured once = judge_once(draw_normal, 3);
        struct measured often = judge_often(draw_normal, 3);
        struct place place;

        often.high_ns = often.time_ns + (often.high_ns - often.time_ns) / 20;
        place = place_among(&once, &often, 1);
        gained += place_rank(&place) > 1;
    }
    assert_true(gained > BOARDS / 100);
}

/* Nobody draws level with a faster one by a time that wavers: the interval's lower end is
 * a sample. */
static void
wavering_gains_nothing(void **unused)
{
    const struct measured faster = {90e3, 90e3, 90e3};

    (void)unused;
    spread_ns = 1e3;
    state = 0x9e3779b97f4a7c15;
    for (int n = 3; n <= SAMPLES_MAX; n++)
        for (int b = 0; b < BOARDS; b++) {
            const struct measured m = judge_once(draw_uniform, n);
            const struct place place = place_among(&m, &faster, 1);

            assert_true(m.low_ns >= 100e3 && m.high_ns > m.time_ns);
            assert_int_equal(place_rank(&place), 2);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifty_judgements_are_worth_one),
        cmocka_unit_test(so_are_they_where_times_differ_by_much),
        cmocka_unit_test(times_of_two_values_need_ten_calls),
        cmocka_unit_test(the_largest_of_few_samples_is_not_enough),
        cmocka_unit_test(wavering_gains_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
