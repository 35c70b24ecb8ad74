// links: arbiter device gpu_owner sandbox common timed_calls
/* The timing policy of empty calls, each decision on both sides of its edge. */
#include "../fixtures/timed_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct timed_call empty_warm = {.undisturbed = true};
static const struct timed_call empty_behind = {.sample = true,
                                               .behind = true,
                                               .copied_behind = true,
                                               .locked = true,
                                               .undisturbed = true,
                                               .ns = EMPTY_NS};
static const struct timed_call empty_after = {
    .sample = true, .locked = true, .undisturbed = true, .ns = EMPTY_NS};

static enum empty_next
next_empty(void)
{
    return timing_empty_next(&timing_plan_gpu, false, true, calls, call_count);
}

/* A warm-up of 200 ms. */
static void
warm_empty(void)
{
    calls_forget(NULL);
    calls_add(10, empty_warm, 200 * MS);
}

static void
an_empty_warm_up_is_over(void **state)
{
    for (int i = 0; i < CALLS_WARM_UPS; i++) {
        calls_forget(state);
        if (warm_ups[i].calls > 0)
            calls_add(warm_ups[i].calls, empty_warm, warm_ups[i].spent_ns);
        assert_int_equal(timing_empty_next(&timing_plan_gpu, warm_ups[i].awake, true,
                                           calls, call_count),
                         warm_ups[i].over ? EMPTY_BEHIND : EMPTY_WARM_UP);
    }
    assert_int_equal(timing_empty_next(&timing_plan_gpu, false, false, calls, call_count),
                     EMPTY_AFTER);
}

static void
empty_calls_are_enough(void **state)
{
    static const struct {
        double width_ns;
        uint64_t spent_ns;
        int calls;
        enum empty_next next;
    } rows[] = {
        {0, 0, 11, EMPTY_BEHIND},           {0, 900 * MS, 11, EMPTY_BEHIND},
        {2000, 0, 12, EMPTY_ENOUGH},        {2001, 0, 12, EMPTY_BEHIND},
        {2001, 300 * MS, 12, EMPTY_BEHIND}, {2001, 300 * MS + 1, 12, EMPTY_ENOUGH},
        {2001, 0, 99, EMPTY_BEHIND},        {2001, 0, 100, EMPTY_ENOUGH},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        warm_empty();
        calls_add_wide(rows[i].calls, empty_behind, rows[i].width_ns);
        calls[call_count - 1].ended_ns += rows[i].spent_ns;
        assert_int_equal(next_empty(), rows[i].next);
    }
}

/* The time begins again behind a call with a neighbour beside it, which does not count.
 */
static void
empty_calls_beside_a_neighbour_do_not_count(void **state)
{
    struct timed_call loud = empty_behind;
    struct empty_times times;

    (void)state;
    loud.locked = false;
    loud.ns = 1e9;
    for (uint64_t late_ns = 0; late_ns <= 1; late_ns++) {
        warm_empty();
        calls_add(40, loud, 1000 * MS);
        assert_int_equal(next_empty(), EMPTY_BEHIND);
        calls_add_wide(20, empty_behind, 2001);
        calls[call_count - 1].ended_ns = 1300 * MS + late_ns;
        assert_int_equal(next_empty(), late_ns == 1 ? EMPTY_ENOUGH : EMPTY_BEHIND);
    }
    timing_empty_times(true, calls, call_count, &times);
    assert_int_equal(times.count, 20);
    assert_int_equal(times.uncounted_ns, 800 * MS);
    assert_true(times.interval.high < 1e6);
}

/* Of 12, so many are late, or have lost a CPU; and how many are missing then. */
static void
empty_calls_on_a_busy_host_do_not_count(void **state)
{
    static const struct {
        int late, preempted, both, counted;
    } rows[] = {{0, 0, 0, 12}, {1, 0, 0, 11},  {50, 0, 0, 0},   {51, 0, 0, 1},
                {0, 1, 0, 11}, {0, 300, 0, 0}, {50, 0, 300, 0}, {0, 0, 300, 0}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call late = empty_behind, preempted = empty_behind, both;
        const int odd = rows[i].late + rows[i].preempted + rows[i].both;
        const int fine = odd < 12 ? 12 - odd : 0;
        struct empty_times times;

        late.late = true;
        preempted.preempted = true;
        both = late;
        both.preempted = true;
        warm_empty();
        calls_add(rows[i].late, late,
                  call_count > 0 ? calls[call_count - 1].ended_ns + MS : 0);
        calls_add_quick(rows[i].preempted, preempted);
        calls_add_quick(rows[i].both, both);
        calls_add_quick(fine, empty_behind);
        timing_empty_times(true, calls, call_count, &times);
        assert_int_equal(times.count, rows[i].counted);
        assert_int_equal(times.preempted, rows[i].preempted + rows[i].both);
        assert_int_equal(times.late, rows[i].late < 50 ? rows[i].late : 50);
        assert_int_equal(times.uncounted_ns > 0, rows[i].late > 0);
        assert_int_equal(next_empty(),
                         rows[i].counted < 12 ? EMPTY_BEHIND : EMPTY_ENOUGH);
        calls_add_quick(301 - times.preempted, preempted);
        assert_int_equal(next_empty(), EMPTY_HOST_BUSY);
    }
}

/* A launch that comes late makes a call longer only where its copy waits behind it. */
static void
a_late_launch_is_in_an_interval_of_the_other_kind(void **state)
{
    struct timed_call late = empty_after;
    struct empty_times times;

    (void)state;
    late.late = true;
    warm_empty();
    calls_add_quick(20, late);
    assert_int_equal(timing_empty_next(&timing_plan_gpu, false, false, calls, call_count),
                     EMPTY_ENOUGH);
    timing_empty_times(false, calls, call_count, &times);
    assert_int_equal(times.count, 20);
    assert_int_equal(times.late, 0);
}

/* Of 20 calls so many were copied behind their work. */
static void
empty_calls_are_of_the_kind_that_most_are(void **state)
{
    static const struct {
        int behind;
        enum empty_next next;
    } rows[] = {
        {20, EMPTY_ENOUGH}, {10, EMPTY_ENOUGH}, {9, EMPTY_AFTER}, {0, EMPTY_AFTER}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        const bool behind = rows[i].next == EMPTY_ENOUGH;
        struct timed_call missed = empty_behind, after = empty_after;
        struct empty_times times;

        missed.copied_behind = false;
        missed.ns = 9e9;
        after.ns = 2 * EMPTY_NS;
        warm_empty();
        calls_add_quick(rows[i].behind, empty_behind);
        calls_add_quick(20 - rows[i].behind, missed);
        assert_int_equal(next_empty(), rows[i].next);
        if (!behind)
            calls_add_quick(20, after);
        assert_int_equal(next_empty(), EMPTY_ENOUGH);
        timing_empty_times(true, calls, call_count, &times);
        assert_int_equal(times.behind, behind);
        assert_int_equal(times.count, behind ? rows[i].behind : 20);
        assert_near(times.median_ns, behind ? EMPTY_NS : 2 * EMPTY_NS, 0);
    }
}

/* Our own work before a call, and its bytes, do not depend on its kind. */
static void
what_empty_calls_say(void **state)
{
    struct timed_call missed = empty_behind, after = empty_after;
    struct empty_times times;

    (void)state;
    missed.copied_behind = false;
    missed.fill_ns = 1;
    missed.bus_bytes = 10;
    after.fill_ns = 3;
    after.bus_bytes = 30;
    warm_empty();
    calls_add_quick(20, missed);
    calls_add_wide(20, after, 800);
    timing_empty_times(true, calls, call_count, &times);
    assert_near(times.usual_fill_ns, 2, 0);
    assert_near(times.bus_bytes, 20, 0);
    assert_near(times.median_ns, EMPTY_NS + 400, 0);
    assert_near(times.interval.low, EMPTY_NS, 0);
    assert_near(times.interval.high, EMPTY_NS + 800, 0);
    assert_near(times.ns[0], EMPTY_NS, 0);
    assert_int_equal(times.uncounted_ns, 0);
}

/* Not where it is slow in three calls; the first one is slow anyway, and a neighbour
 * makes any slow. */
static void
a_reference_that_takes_long_is_not_called(void **state)
{
    struct timed_call slow = empty_warm, disturbed;

    (void)state;
    slow.reference_ns = 5 * MS + 1;
    disturbed = slow;
    disturbed.undisturbed = false;
    assert_true(timing_empty_wants_reference(calls, call_count));
    calls_add_quick(3, slow);
    calls_add_quick(5, disturbed);
    slow.reference_ns = 5 * MS;
    calls_add_quick(5, slow);
    assert_true(timing_empty_wants_reference(calls, call_count));
    slow.reference_ns = 5 * MS + 1;
    calls_add_quick(1, slow);
    assert_false(timing_empty_wants_reference(calls, call_count));
    calls_add_quick(1, empty_behind);
    assert_false(timing_empty_wants_reference(calls, call_count));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_empty_warm_up_is_over, calls_forget),
        cmocka_unit_test_setup(empty_calls_are_enough, calls_forget),
        cmocka_unit_test_setup(empty_calls_beside_a_neighbour_do_not_count, calls_forget),
        cmocka_unit_test_setup(empty_calls_on_a_busy_host_do_not_count, calls_forget),
        cmocka_unit_test_setup(a_late_launch_is_in_an_interval_of_the_other_kind,
                               calls_forget),
        cmocka_unit_test_setup(empty_calls_are_of_the_kind_that_most_are, calls_forget),
        cmocka_unit_test_setup(what_empty_calls_say, calls_forget),
        cmocka_unit_test_setup(a_reference_that_takes_long_is_not_called, calls_forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
