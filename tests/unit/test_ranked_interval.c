// links: common
/*
 * Who scatters times on purpose gains no rank by it, nor does anybody else: of a wide
 * interval only a part counts (record/ranked_interval.h). Boards are drawn at random,
 * and one entry's interval is made wider.
 */
#include "record/ranked_interval.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ENTRIES 30
#define BOARDS 3000
#define GPU "NVIDIA H200"

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

/* Times from 10 to 20 us. Every fourth is a point, some intervals are wide. */
static struct measured
draw_time(void)
{
    const double time = 10e3 * (1 + draw_uniform());
    const double width = draw_uniform() < 0.25 ? 0 : pow(10, -4 + 4 * draw_uniform());

    return (struct measured){time, time * (1 - width * draw_uniform()),
                             time * (1 + 3 * width * draw_uniform())};
}

/* --- boards ------------------------------------------------------------------------- */

struct drawn_board {
    struct measured time[ENTRIES]; /* as measured, in no order */
    const char *device;
};

static struct drawn_board
draw_board(int number)
{
    struct drawn_board b = {.device = number % 2 == 0 ? "emu" : GPU};

    for (int i = 0; i < ENTRIES; i++)
        b.time[i] = draw_time();
    return b;
}

/* The place that a time has among the entries but `left_out`. */
static struct place
drawn_place(const struct drawn_board *b, const struct measured *time, int left_out)
{
    const struct measured one = ranked_interval(time, b->device);
    struct measured others[ENTRIES];
    size_t n = 0;

    for (int i = 0; i < ENTRIES; i++) {
        const struct measured other = ranked_interval(&b->time[i], b->device);
        size_t at = n;

        if (i == left_out)
            continue;
        for (; at > 0 && measured_precedes(&other, &others[at - 1]); at--)
            others[at] = others[at - 1];
        others[at] = other;
        n++;
    }
    return place_among(&one, others, n);
}

/* --- tests -------------------------------------------------------------------------- */

static void
narrow_intervals_count_as_they_are(void **unused)
{
    const struct measured narrow = {1e6, 0.985e6, 1.04e6},
                          is = ranked_interval(&narrow, "emu"),
                          short_one = {6000, 4500, 7500};

    (void)unused;
    assert_float_equal(is.time_ns, 1e6, 0);
    assert_float_equal(is.low_ns, 0.985e6, 0);
    assert_float_equal(is.high_ns, 1.04e6, 0);
    assert_float_equal(ranked_interval(&short_one, GPU).low_ns, 4500, 0);
    assert_float_equal(ranked_interval(&short_one, GPU).high_ns, 7500, 0);
}

static void
wide_intervals_are_cut(void **unused)
{
    const struct measured wide = {1e6, 0.5e6, 8e6}, up = {1e6, 1e6, 3e6},
                          short_one = {6000, 1000, 90000}, short_up = {6000, 6000, 90000};
    const struct measured emu = ranked_interval(&wide, "emu"),
                          gpu = ranked_interval(&wide, GPU),
                          short_emu = ranked_interval(&short_one, "emu"),
                          short_gpu = ranked_interval(&short_one, GPU);

    (void)unused;
    assert_float_equal(emu.low_ns, 0.98e6, 1e-3);
    assert_float_equal(emu.high_ns, 6e6, 1e-3);
    assert_float_equal(gpu.low_ns, 0.98e6, 1e-3);
    assert_float_equal(short_emu.low_ns, 5880, 1e-6);
    assert_float_equal(short_emu.high_ns, 56000, 1e-6);
    assert_float_equal(short_gpu.low_ns, 4000, 1e-6);
    assert_float_equal(ranked_interval(&up, "emu").low_ns, 1e6, 0);
    assert_float_equal(ranked_interval(&up, "emu").high_ns, 1.1e6, 1e-3);
    assert_float_equal(ranked_interval(&short_up, "emu").high_ns, 6600, 1e-6);
    assert_float_equal(ranked_interval(&short_up, GPU).high_ns, 8000, 1e-6);
}

/* An entry that scatters down as far as it likes has no better rank than a steady one
 * whose time is shorter by the limit. */
static void
scattering_down_is_worth_the_limit_at_most(void **unused)
{
    int better = 0;

    (void)unused;
    state = 0x9e3779b97f4a7c15;
    for (int n = 0; n < BOARDS; n++) {
        const struct drawn_board b = draw_board(n);
        struct measured wide = b.time[0], steady;
        const double down =
            fmax(wide.time_ns * RANKED_BELOW, n % 2 == 0 ? 0 : RANKED_GPU_NS);
        struct place of_wide, of_steady, as_is;

        wide.low_ns = wide.time_ns * draw_uniform();
        steady.time_ns = steady.low_ns = steady.high_ns = wide.time_ns - down;
        of_wide = drawn_place(&b, &wide, 0);
        of_steady = drawn_place(&b, &steady, 0);
        as_is = drawn_place(&b, &b.time[0], 0);
        assert_true(place_rank(&of_wide) >= place_rank(&of_steady));
        better += place_rank(&of_wide) < place_rank(&as_is);
    }
    assert_true(better > 0); /* within the limit it counts */
}

/* What is beyond a limit changes nobody's place. */
static void
scattering_beyond_the_limits_changes_nothing(void **unused)
{
    (void)unused;
    state = 0x2545f4914f6cdd1d;
    for (int n = 0; n < BOARDS; n++) {
        struct drawn_board b = draw_board(n), wider;
        const int other = 1 + n % (ENTRIES - 1);
        const struct measured ranked = ranked_interval(&b.time[0], b.device);
        struct place before, after;

        wider = b;
        if (ranked.high_ns < b.time[0].high_ns)
            wider.time[0].high_ns *= 1 + 10 * draw_uniform();
        else if (ranked.low_ns > b.time[0].low_ns)
            wider.time[0].low_ns *= draw_uniform();
        before = drawn_place(&b, &b.time[0], 0);
        after = drawn_place(&wider, &wider.time[0], 0);
        assert_memory_equal(&before, &after, sizeof before);
        before = drawn_place(&b, &b.time[other], other);
        after = drawn_place(&wider, &wider.time[other], other);
        assert_memory_equal(&before, &after, sizeof before);
    }
}

/* A wide upper end is to nobody's advantage who has it: the rank is the same, and slower
 * entries that now share it lower the percentile. */
static void
scattering_up_gains_nothing(void **unused)
{
    int lower = 0;

    (void)unused;
    state = 0x9e3779b97f4a7c15;
    for (int n = 0; n < BOARDS; n++) {
        const struct drawn_board b = draw_board(n);
        struct measured wide = b.time[0];
        struct place before, after;

        wide.high_ns *= 1 + draw_uniform();
        before = drawn_place(&b, &b.time[0], 0);
        after = drawn_place(&b, &wide, 0);
        assert_int_equal(place_rank(&after), place_rank(&before));
        assert_true(place_percentile(&after) <= place_percentile(&before));
        lower += place_percentile(&after) < place_percentile(&before);
    }
    assert_true(lower > 0);
}

/* However far up a leader scatters, it draws only those along that are hardly slower. */
static void
nobody_shares_a_rank_with_a_much_faster_leader(void **unused)
{
    (void)unused;
    state = 0x2545f4914f6cdd1d;
    for (int n = 0; n < BOARDS; n++) {
        struct drawn_board b = draw_board(n);
        const double least = n % 2 == 0 ? 0 : RANKED_GPU_NS;
        const struct measured leader = {9e3, 9e3, 9e3 * (1 + 4 * draw_uniform())};

        b.time[0] = leader;
        for (int i = 1; i < ENTRIES; i++) {
            const double time = b.time[i].time_ns,
                         from = time - fmax(time * RANKED_BELOW, least),
                         to = leader.time_ns + fmax(leader.time_ns * RANKED_ABOVE, least);
            const struct place place = drawn_place(&b, &b.time[i], i);

            assert_true(from <= to || place_rank(&place) > 1);
        }
    }
}

/* Two times are told apart where their ranked intervals do not overlap: what an interval
 * reaches beyond the limits hides nothing. */
static void
times_are_told_apart_by_their_ranked_intervals(void **unused)
{
    const struct measured fast = {10e6, 9.9e6, 10.1e6}, slow = {12e6, 11.9e6, 12.1e6},
                          near = {10.15e6, 10.05e6, 10.3e6}, wide = {12e6, 5e6, 30e6};

    (void)unused;
    assert_int_equal(ranked_compare(&slow, &fast, "emu"), RANKED_FASTER);
    assert_int_equal(ranked_compare(&fast, &slow, "emu"), RANKED_SLOWER);
    assert_int_equal(ranked_compare(&fast, &near, "emu"), RANKED_UNSURE);
    assert_int_equal(ranked_compare(&near, &fast, "emu"), RANKED_UNSURE);
    assert_int_equal(ranked_compare(&fast, &wide, "emu"), RANKED_SLOWER);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_intervals_count_as_they_are),
        cmocka_unit_test(wide_intervals_are_cut),
        cmocka_unit_test(scattering_down_is_worth_the_limit_at_most),
        cmocka_unit_test(scattering_beyond_the_limits_changes_nothing),
        cmocka_unit_test(scattering_up_gains_nothing),
        cmocka_unit_test(nobody_shares_a_rank_with_a_much_faster_leader),
        cmocka_unit_test(times_are_told_apart_by_their_ranked_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
