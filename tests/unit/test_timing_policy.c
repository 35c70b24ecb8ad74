// links: arbiter device gpu_owner sandbox common timed_calls
/* The timing policy of warm-up and samples, each decision on both sides of its edge. */
#include "../fixtures/timed_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* --- the warm-up -------------------------------------------------------------------- */

static struct timing_next
next(void)
{
    return timing_next(&terms, calls, call_count, true);
}

static void
a_warm_up_is_over(void **state)
{
    for (int i = 0; i < CALLS_WARM_UPS; i++) {
        const bool over = warm_ups[i].over;
        struct timing_terms t = terms;

        t.awake = warm_ups[i].awake;
        calls_forget(state);
        if (warm_ups[i].calls > 0)
            calls_add(warm_ups[i].calls, warm, warm_ups[i].spent_ns);
        assert_int_equal(timing_next(&t, calls, call_count, true).what,
                         over ? TIMING_SAMPLE : TIMING_WARM_UP);
        assert_int_equal(timing_next(&t, calls, call_count, true).begins, over);
        assert_int_equal(timing_next(&t, calls, call_count, false).what, TIMING_WARM_UP);
    }
}

static void
neighbours_may_go_on_for_half_of_a_warm_up(void **state)
{
    static const struct {
        uint64_t spent_ns;
        int calls;
        bool awake, wants;
    } rows[] = {{100 * MS - 1, 1, false, false}, {100 * MS, 1, false, true},
                {MS, 49, false, false},          {MS, 50, false, true},
                {10 * MS - 1, 1, true, false},   {10 * MS, 1, true, true}};

    assert_false(timing_wants_lock(&terms, calls, call_count));
    for (int i = 0; i < COUNT(rows); i++) {
        struct timing_terms t = terms;

        calls_forget(state);
        t.awake = rows[i].awake;
        calls_add(rows[i].calls, warm, rows[i].spent_ns);
        assert_int_equal(timing_wants_lock(&t, calls, call_count), rows[i].wants);
    }
    calls_add_quick(1, sampled);
    assert_false(timing_wants_lock(&terms, calls, call_count)); /* they have been asked */
}

/* The first call is looked at while it runs, and so is copied after DONE. */
static void
a_warm_up_is_copied_behind_but_for_its_first_call(void **state)
{
    const struct timing_terms after = {.plan = &timing_plan_gpu,
                                       .empty = &empty_not_behind};

    (void)state;
    assert_false(next().behind);
    calls_add_quick(1, warm);
    assert_true(next().behind);
    assert_false(timing_next(&after, calls, call_count, true).behind);
}

/* The last eight calls decide; 1 is one that was copied behind. If most were not, the
 * kind is settled after eight calls with the lock held, or 0.4 s. */
static void
the_last_calls_of_a_warm_up_decide_the_kind(void **state)
{
    static const struct {
        const char *copied;
        bool behind;
    } rows[] = {{"011", true},       {"001", false},         {"11110000", true},
                {"11100000", false}, {"000011110000", true}, {"111111100000", false},
                {"11111111", true},  {"00000000", false}};

    for (int i = 0; i < COUNT(rows); i++) {
        const int of = (int)strlen(rows[i].copied);

        calls_forget(state);
        for (int k = 0; k < of; k++) {
            struct timed_call call = warm;

            call.copied_behind = rows[i].copied[k] == '1';
            calls_add(1, call, (uint64_t)(k + 1) * 400 * MS / (uint64_t)of);
        }
        assert_int_equal(next().what, TIMING_SAMPLE);
        assert_int_equal(next().behind, rows[i].behind);
    }
}

static void
a_kind_that_a_neighbour_may_have_spoilt_is_tried_again(void **state)
{
    static const struct {
        int locked, behind;
        uint64_t spent_ns;
        bool empty_behind, settled, kind;
    } rows[] = {
        {7, 3, 400 * MS - 1, true, false, true},  {8, 3, 400 * MS - 1, true, true, false},
        {7, 4, 400 * MS - 1, true, true, true},   {7, 3, 400 * MS, true, true, false},
        {7, 3, 400 * MS - 1, false, true, false}, {8, 8, 400 * MS, false, true, false},
    };

    for (int i = 0; i < COUNT(rows); i++) {
        struct timing_terms t = terms;
        struct timing_next got;

        calls_forget(state);
        calls_add(20, warm, rows[i].spent_ns);
        for (int k = 0; k < call_count; k++) {
            *(i % 2 == 0 ? &calls[k].locked : &calls[k].undisturbed) =
                k >= call_count - rows[i].locked;
            calls[k].copied_behind = k >= call_count - rows[i].behind;
        }
        t.empty = rows[i].empty_behind ? &empty : &empty_not_behind;
        got = timing_next(&t, calls, call_count, true);
        assert_int_equal(got.what, rows[i].settled ? TIMING_SAMPLE : TIMING_WARM_UP);
        assert_int_equal(got.behind, rows[i].kind);
    }
}

/* --- the samples -------------------------------------------------------------------- */

/* A warm-up that took longer than samples may. */
static void
warm_up(void)
{
    calls_forget(NULL);
    calls_add(10, warm, 3000 * MS);
}

static void
samples_are_enough(void **state)
{
    static const struct {
        double time_ns;
        double width_ns; /* 0.5% of a median of 1 ms are 5 us, and a little more */
        uint64_t spent_ns;
        int samples;
        bool enough;
    } rows[] = {
        {1e6, 0, 0, 0, false},
        {1e6, 0, 0, 15, false},
        {1e6, 0, 9000 * MS, 15, false},
        {1e6, 5012, 0, 16, true},
        {1e6, 5013, 0, 16, false},
        {1e6, 5013, 1500 * MS, 16, false},
        {1e6, 5013, 1500 * MS + 1, 16, true},
        {1e6, 6000, 0, 199, false},
        {1e6, 6000, 0, 200, true},
        {10e3, 2000, 0, 15, false}, /* of a short time 2 us are enough */
        {10e3, 2000, 0, 16, true},
        {10e3, 2001, 0, 16, false},
        {10e3, 2001, 0, 200, true},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call call = sampled;
        struct timing_next got;

        call.ns = EMPTY_NS + rows[i].time_ns;
        warm_up();
        calls_add_wide(rows[i].samples, call, rows[i].width_ns);
        calls[call_count - 1].ended_ns += rows[i].samples > 0 ? rows[i].spent_ns : 0;
        got = next();
        assert_int_equal(got.what, rows[i].enough ? TIMING_ENOUGH : TIMING_SAMPLE);
        assert_int_equal(got.samples, rows[i].samples);
        assert_int_equal(got.begins, rows[i].samples == 0);
        assert_true(got.behind);
    }
}

/* On emu what calls cost us decides how many samples there are: three at least, sixteen
 * at most. */
static void
costly_calls_give_fewer_samples_on_emu(void **state)
{
    const struct empty_times none = {0};
    const struct timing_terms emu = {.plan = &timing_plan_emu, .empty = &none};
    static const struct {
        double cost_ms;
        int samples;
    } rows[] = {{0, 16}, {1, 16}, {2.3, 16}, {2.4, 15}, {9, 6},
                {20, 4}, {30, 4}, {31, 3},   {1000, 3}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call call = {.locked = true,
                                  .undisturbed = true,
                                  .ns = 5,
                                  .bus_bytes = -1,
                                  .cost_ms = rows[i].cost_ms};
        struct sample samples[16];

        calls_forget(NULL);
        assert_int_equal(timing_next(&emu, calls, call_count, true).what, TIMING_WARM_UP);
        calls_add_quick(1, call);
        assert_true(timing_next(&emu, calls, call_count, true).begins);
        call.sample = true;
        for (int k = 0; k < rows[i].samples; k++) {
            assert_int_equal(timing_next(&emu, calls, call_count, true).what,
                             TIMING_SAMPLE);
            assert_false(timing_next(&emu, calls, call_count, true).behind);
            calls_add_quick(1, call);
        }
        assert_int_equal(timing_next(&emu, calls, call_count, true).what, TIMING_ENOUGH);
        assert_int_equal(timing_samples(&emu, calls, call_count, samples),
                         rows[i].samples);
        assert_int_equal(timing_plan_samples(&timing_plan_emu, rows[i].cost_ms),
                         rows[i].samples);
        assert_false(samples[0].full);
        assert_false(timing_meter_stopped(&emu, &call));
        assert_near(timing_value(&samples[2], 0), 5, 0);
    }
}

/* A program cannot end the samples while it likes them, by a call that costs much. */
static void
the_cheapest_call_on_emu_decides(void **state)
{
    const struct empty_times none = {0};
    const struct timing_terms emu = {.plan = &timing_plan_emu, .empty = &none};
    struct timed_call call = {
        .locked = true, .undisturbed = true, .ns = 5, .bus_bytes = -1, .cost_ms = 9};

    (void)state;
    calls_add_quick(1, call);
    call.sample = true;
    call.cost_ms = 1000;
    for (int k = 0; k < 6; k++) {
        assert_int_equal(timing_next(&emu, calls, call_count, true).what, TIMING_SAMPLE);
        calls_add_quick(1, call);
    }
    assert_int_equal(timing_next(&emu, calls, call_count, true).what, TIMING_ENOUGH);
}

/* Slow work of ours is nobody's fault beside a neighbour that makes a context, and no
 * evidence where our thread had lost its CPU. */
static void
a_call_after_slow_work_of_ours_does_not_count(void **state)
{
    static const struct {
        int slow, busy;
        bool undisturbed, counts;
    } rows[] = {{0, 0, true, true},   {1, 0, true, false}, {3, 0, true, false},
                {1, 0, false, false}, {0, 1, true, false}, {0, 1, false, false}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call call = sampled;

        call.slow_fills = rows[i].slow;
        call.busy_fills = rows[i].busy;
        call.undisturbed = rows[i].undisturbed;
        warm_up();
        calls_add_quick(1, sampled);
        calls_add_quick(1, call);
        assert_int_equal(next().samples, rows[i].counts ? 2 : 1);
        assert_int_equal(timing_fill(calls, call_count),
                         rows[i].slow > 0 && rows[i].undisturbed ? FILL_DISCARD
                                                                 : FILL_FINE);
        assert_int_equal(timing_busy_calls(calls, call_count),
                         rows[i].busy > 0 || (rows[i].slow > 0 && !rows[i].undisturbed));
    }
}

/* The warm-up's calls are evidence, too. */
static void
slow_work_of_ours_disqualifies(void **state)
{
    struct timed_call once = sampled, always = sampled;

    (void)state;
    once.slow_fills = 2;
    always.slow_fills = 3;
    warm_up();
    calls[2].slow_fills = 3;
    calls_add_quick(5, sampled);
    assert_int_equal(timing_fill(calls, call_count), FILL_FINE);
    calls_add_quick(1, always);
    assert_int_equal(timing_fill(calls, call_count), FILL_DISQUALIFY);
    calls[2].undisturbed = false;
    assert_int_equal(timing_fill(calls, call_count), FILL_DISCARD);
    warm_up();
    calls_add_quick(10, once); /* of 20, 8 and a quarter are 13 */
    assert_int_equal(timing_fill(calls, call_count), FILL_DISCARD);
    calls_add_quick(5, once); /* more than 14 of 25 */
    assert_int_equal(timing_fill(calls, call_count), FILL_DISQUALIFY);
}

static void
a_host_that_is_busy_beside_many_calls_is_our_failure(void **state)
{
    struct timed_call busy = sampled;

    (void)state;
    busy.busy_fills = 2;
    warm_up();
    calls[0].busy_fills = 1;
    calls_add_quick(99, busy);
    assert_false(timing_host_is_busy(calls, call_count));
    calls_add_quick(1, busy);
    assert_true(timing_host_is_busy(calls, call_count));
    assert_int_equal(timing_busy_calls(calls, call_count), 101);
    assert_int_equal(timing_fill(calls, call_count), FILL_FINE);
}

static void
a_meter_that_stops_is_noticed(void **state)
{
    struct timing_terms t = terms;
    struct timed_call call = sampled;
    struct empty_times unknown = empty;

    (void)state;
    unknown.bus_bytes = -1;
    assert_false(timing_meter_stopped(&t, &call));
    call.bus_bytes = -1;
    assert_true(timing_meter_stopped(&t, &call));
    t.empty = &unknown; /* it never went */
    assert_false(timing_meter_stopped(&t, &call));
    t = terms;
    t.metered = false;
    assert_false(timing_meter_stopped(&t, &call));
}

/* "1": copied behind, "0": missed, "x": missed and does not count for another reason. */
static void
samples_begin_anew_where_most_miss_their_copies(void **state)
{
    static const struct {
        const char *copied;
        bool anew;
        int samples; /* where not */
    } rows[] = {{"000", false, 3},
                {"0000", true, 0},
                {"xxx", true, 0},
                {"0x", false, 1},
                {"xx", false, 0},
                {"dddddddd", false, 8},
                {"dd1d1", false, 5},
                {"d0000d0", false, 7},
                {"d00000", true, 0},
                {"11111111110000000000000", false, 23},
                {"111111111100000000000000", true, 0},
                {"0001111111111111", false, 16}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call after = sampled;

        warm_up();
        for (const char *c = rows[i].copied; *c != '\0'; c++) {
            struct timed_call call = sampled;

            call.copied_behind = *c == '1';
            call.busy_fills = *c == 'x';
            call.undisturbed = *c != 'd';
            assert_true(next().samples < 200 && next().behind);
            calls_add_quick(1, call);
        }
        assert_int_equal(next().begins, rows[i].anew);
        assert_int_equal(next().behind, !rows[i].anew);
        assert_int_equal(next().samples, rows[i].samples);
        if (!rows[i].anew)
            continue;
        /* For good; and with the whole time. */
        after.behind = after.copied_behind = false;
        calls[call_count - 1].ended_ns += 1500 * MS;
        calls_add_wide(16, after, 6000);
        calls[call_count - 1].ended_ns += 1500 * MS;
        assert_int_equal(next().what, TIMING_SAMPLE);
        assert_false(next().begins || next().behind);
        assert_int_equal(next().samples, 16);
        calls[call_count - 1].ended_ns++;
        assert_int_equal(next().what, TIMING_ENOUGH);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_warm_up_is_over, calls_forget),
        cmocka_unit_test_setup(neighbours_may_go_on_for_half_of_a_warm_up, calls_forget),
        cmocka_unit_test_setup(a_warm_up_is_copied_behind_but_for_its_first_call,
                               calls_forget),
        cmocka_unit_test_setup(the_last_calls_of_a_warm_up_decide_the_kind, calls_forget),
        cmocka_unit_test_setup(a_kind_that_a_neighbour_may_have_spoilt_is_tried_again,
                               calls_forget),
        cmocka_unit_test_setup(samples_are_enough, calls_forget),
        cmocka_unit_test_setup(costly_calls_give_fewer_samples_on_emu, calls_forget),
        cmocka_unit_test_setup(the_cheapest_call_on_emu_decides, calls_forget),
        cmocka_unit_test_setup(a_call_after_slow_work_of_ours_does_not_count,
                               calls_forget),
        cmocka_unit_test_setup(slow_work_of_ours_disqualifies, calls_forget),
        cmocka_unit_test_setup(a_host_that_is_busy_beside_many_calls_is_our_failure,
                               calls_forget),
        cmocka_unit_test_setup(a_meter_that_stops_is_noticed, calls_forget),
        cmocka_unit_test_setup(samples_begin_anew_where_most_miss_their_copies,
                               calls_forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
