// links: arbiter device gpu_owner sandbox common timed_calls
/* What time follows from samples, each decision on both sides of its edge. */
#include "../fixtures/timed_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
a_copy_is_counted_as_an_empty_calls(void **state)
{
    static const struct {
        double copy_ns;
        bool empty_behind, copied_behind;
        double gain_ns;
    } rows[] = {{47e3, true, true, 3e3},
                {50e3, true, true, 0},
                {90e3, true, true, 0},
                {47e3, false, true, 0},
                {47e3, true, false, 0}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timing_terms t = terms;
        struct timed_call call = sampled;
        struct sample s;

        t.empty = rows[i].empty_behind ? &empty : &empty_not_behind;
        call.copy_ns = rows[i].copy_ns;
        call.copied_behind = rows[i].copied_behind;
        s = timing_sample(&t, &call);
        assert_near(s.copy_gain_ns, rows[i].gain_ns, 1e-6);
        assert_near(timing_value(&s, EMPTY_NS), 1e6 + rows[i].gain_ns, 1e-6);
    }
}

/* 300 kB are free beyond an empty call's 10 kB, and a quarter of a byte for each ns that
 * the call takes longer than an empty one. */
static void
calls_over_the_bus_have_full_intervals(void **state)
{
    static const struct {
        double bytes, ns;
        bool full;
    } rows[] = {
        {310e3, EMPTY_NS, false},       {310e3 + 1, EMPTY_NS, true},
        {310e3, EMPTY_NS / 2, false},   {310e3 + 1, EMPTY_NS / 2, true},
        {560e3, EMPTY_NS + 1e6, false}, {560e3 + 1, EMPTY_NS + 1e6, true},
        {0, EMPTY_NS, false},           {-1, EMPTY_NS, false},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call call = sampled;
        struct sample s;

        call.bus_bytes = rows[i].bytes;
        call.ns = rows[i].ns;
        s = timing_sample(&terms, &call);
        assert_int_equal(s.full, rows[i].full);
        assert_near(timing_value(&s, EMPTY_NS),
                    rows[i].full ? 100e3 + rows[i].ns : rows[i].ns - EMPTY_NS, 1e-6);
    }
    assert_near(timing_bus_bytes(&terms, &sampled), 0, 0);
}

#define SAMPLES 16

/* Calls of 1 ms and a little more each, of which the last `full` are so. */
static void
make_samples(struct sample out[SAMPLES], int full)
{
    for (int i = 0; i < SAMPLES; i++)
        out[i] = (struct sample){
            .ns = 1e6 + i * 1e3, .fill_ns = 100e3, .full = i >= SAMPLES - full};
}

/* The 4th and 13th of 16, 4.5 us from the median, and what the empty call may be off, 20
 * us, as far as the median has that in it. */
static void
only_what_is_subtracted_can_be_off(void **state)
{
    const double none = 707.5e3, all = 1107.5e3, with = hypot(4.5e3, 20e3);
    const struct {
        int full;
        double median, low, high;
    } rows[] = {{0, none, none - with, none + with},
                {3, none, none - with, none + with}, /* not yet in it */
                {4, none, none - with, INFINITY},
                {SAMPLES, all, all - 4.5e3, all + 4.5e3}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct sample s[SAMPLES];
        struct timed_result r;

        make_samples(s, rows[i].full);
        r = timing_result(&empty, s, SAMPLES, false);
        assert_near(r.median_ns, rows[i].median, 1);
        assert_near(r.interval.low, rows[i].low, 1);
        if (isinf(rows[i].high))
            assert_true(r.interval.high > all);
        else
            assert_near(r.interval.high, rows[i].high, 1);
        assert_true(r.q1_ns < r.median_ns && r.median_ns < r.q3_ns);
    }
}

static void
a_modelled_time_ends_with_its_largest_sample_and_none_is_below_0(void **state)
{
    const struct empty_times long_empty = {.median_ns = 9e6, .interval = {9e6, 9e6}};
    const struct empty_times none = {0};
    struct sample s[SAMPLES];
    struct timed_result r;

    (void)state;
    make_samples(s, 0);
    r = timing_result(&none, s, SAMPLES, true);
    assert_near(r.median_ns, 1007.5e3, 1);
    /* From the fourth sample, as on a GPU, to the last. */
    assert_near(r.interval.low, 1003e3, 1);
    assert_near(r.interval.high, 1015e3, 1);
    for (int i = 0; i < SAMPLES; i++)
        s[i].ns = 5;
    r = timing_result(&none, s, SAMPLES, true);
    assert_near(r.interval.low + r.median_ns + r.interval.high, 15, 0);
    r = timing_result(&long_empty, s, SAMPLES, false);
    assert_near(r.q1_ns + r.median_ns + r.q3_ns, 0, 0);
    assert_near(r.interval.low + r.interval.high, 0, 0);
}

/* What the interval's upper end is below an empty call's median. */
static void
sooner_than_an_empty_call_there_was_no_kernel(void **state)
{
    (void)state;
    for (int full = 0; full <= SAMPLES; full += SAMPLES)
        for (int beyond = -1; beyond <= 1; beyond += 2) {
            struct sample s[SAMPLES];
            struct empty_times e = {0};
            struct timing_absence a;

            make_samples(s, full);
            for (int i = 0; i < SAMPLES; i++)
                s[i].copy_gain_ns = 3e3;
            e.median_ns = 1007.5e3 + 3e3 + 4.5e3 + 20e3 + beyond;
            e.interval = (struct interval){e.median_ns, e.median_ns};
            a = timing_absence(&e, s, SAMPLES);
            assert_int_equal(a.found, beyond == 1);
            assert_near(a.sooner_ns, 24.5e3 + beyond, 1e-3);
            assert_near(a.surely_ns, 20e3 + beyond, 1e-3);
        }
}

/* A limit of 1 ms, a floor of 500 us; 20 us are the empty call's error. */
static void
a_time_near_or_below_the_limit(void **state)
{
    static const struct {
        double median, high;
        bool modelled;
        enum limit_finding finding;
    } rows[] = {
        {1051e3, 1051e3, false, LIMIT_FAR}, {1049e3, 1049e3, false, LIMIT_NEAR},
        {400e3, 481e3, false, LIMIT_NEAR},  {400e3, 479e3, false, LIMIT_BEATEN},
        {499e3, 499e3, true, LIMIT_BEATEN}, {501e3, 501e3, true, LIMIT_NEAR},
        {499e3, 499e3, false, LIMIT_NEAR},  {499e3, 900e3, true, LIMIT_BEATEN},
    };
    const struct limit limit = {.ns = 1e6, .floor_ns = 500e3, .by = "memory"};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        const struct timed_result r = {.median_ns = rows[i].median,
                                       .interval = {rows[i].median, rows[i].high}};

        assert_int_equal(timing_limit(&limit, &r, rows[i].modelled), rows[i].finding);
    }
}

/* The 4th of 16 is in the median's interval. */
static void
few_full_intervals_need_no_remark(void **state)
{
    struct sample s[SAMPLES];

    (void)state;
    for (int full = 0; full <= SAMPLES; full++) {
        make_samples(s, full);
        assert_int_equal(timing_full_samples(s, SAMPLES), full < 4 ? 0 : full);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_copy_is_counted_as_an_empty_calls, calls_forget),
        cmocka_unit_test_setup(calls_over_the_bus_have_full_intervals, calls_forget),
        cmocka_unit_test_setup(only_what_is_subtracted_can_be_off, calls_forget),
        cmocka_unit_test_setup(
            a_modelled_time_ends_with_its_largest_sample_and_none_is_below_0,
            calls_forget),
        cmocka_unit_test_setup(sooner_than_an_empty_call_there_was_no_kernel,
                               calls_forget),
        cmocka_unit_test_setup(a_time_near_or_below_the_limit, calls_forget),
        cmocka_unit_test_setup(few_full_intervals_need_no_remark, calls_forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
