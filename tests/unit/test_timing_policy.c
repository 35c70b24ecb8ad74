// links: arbiter device gpu_owner sandbox common
/* The timing policy, each decision on both sides of its edge: tables of calls that nobody
 * made. */
#include "arbiter/measuring/timing_policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define EMPTY_NS 300e3
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

#define assert_near(got, want, off) assert_true(fabs((got) - (want)) <= (off))

/* The calls of one test, in order. */
static struct timed_call calls[1000];
static int n;

static int
forget(void **state)
{
    (void)state;
    memset(calls, 0, sizeof calls);
    n = 0;
    return 0;
}

/* `count` calls like this one, the last of which ends at end_ns. */
static void
add(int count, struct timed_call call, uint64_t end_ns)
{
    const uint64_t begin_ns = n > 0 ? calls[n - 1].ended_ns : 0;

    assert_true(n + count <= COUNT(calls));
    for (int i = 1; i <= count; i++) {
        calls[n] = call;
        calls[n++].ended_ns =
            begin_ns + (end_ns - begin_ns) * (uint64_t)i / (uint64_t)count;
    }
}

/* The same; they take no time. */
static void
add_quick(int count, struct timed_call call)
{
    add(count, call, n > 0 ? calls[n - 1].ended_ns : 0);
}

/* --- 1. the empty calls ---------------------------------------------------- */

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
    return timing_empty_next(&timing_plan_gpu, true, calls, n);
}

/* A warm-up of 200 ms. */
static void
warm_empty(void)
{
    forget(NULL);
    add(10, empty_warm, 200 * MS);
}

/* So many calls of which half take `ns` longer: by so much the median's interval is wide.
 */
static void
add_wide(int count, struct timed_call call, double ns)
{
    add_quick(count / 2, call);
    call.ns += ns;
    add_quick(count - count / 2, call);
}

static const struct {
    uint64_t spent_ns;
    int calls;
    bool over;
} warm_ups[] = {
    {0, 0, false},       {900 * MS, 2, false},      {200 * MS - 1, 3, false},
    {200 * MS, 3, true}, {200 * MS - 1, 99, false}, {1 * MS, 100, true},
};

static void
an_empty_warm_up_is_over(void **state)
{
    for (int i = 0; i < COUNT(warm_ups); i++) {
        forget(state);
        if (warm_ups[i].calls > 0)
            add(warm_ups[i].calls, empty_warm, warm_ups[i].spent_ns);
        assert_int_equal(next_empty(), warm_ups[i].over ? EMPTY_BEHIND : EMPTY_WARM_UP);
    }
    assert_int_equal(timing_empty_next(&timing_plan_gpu, false, calls, n), EMPTY_AFTER);
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
        {0, 0, 19, EMPTY_BEHIND},           {0, 900 * MS, 19, EMPTY_BEHIND},
        {1000, 0, 20, EMPTY_ENOUGH},        {1001, 0, 20, EMPTY_BEHIND},
        {1001, 300 * MS, 20, EMPTY_BEHIND}, {1001, 300 * MS + 1, 20, EMPTY_ENOUGH},
        {1001, 0, 99, EMPTY_BEHIND},        {1001, 0, 100, EMPTY_ENOUGH},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        warm_empty();
        add_wide(rows[i].calls, empty_behind, rows[i].width_ns);
        calls[n - 1].ended_ns += rows[i].spent_ns;
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
        add(40, loud, 1000 * MS);
        assert_int_equal(next_empty(), EMPTY_BEHIND);
        add_wide(20, empty_behind, 1001);
        calls[n - 1].ended_ns = 1300 * MS + late_ns;
        assert_int_equal(next_empty(), late_ns == 1 ? EMPTY_ENOUGH : EMPTY_BEHIND);
    }
    timing_empty_times(true, calls, n, &times);
    assert_int_equal(times.count, 20);
    assert_int_equal(times.uncounted_ns, 800 * MS);
    assert_true(times.interval.high < 1e6);
}

/* Of 20, so many are late, or have lost a CPU; and how many are missing then. */
static void
empty_calls_on_a_busy_host_do_not_count(void **state)
{
    static const struct {
        int late, preempted, both, counted;
    } rows[] = {{0, 0, 0, 20}, {1, 0, 0, 19},  {50, 0, 0, 0},   {51, 0, 0, 1},
                {0, 1, 0, 19}, {0, 300, 0, 0}, {50, 0, 300, 0}, {0, 0, 300, 0}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call late = empty_behind, preempted = empty_behind, both;
        const int odd = rows[i].late + rows[i].preempted + rows[i].both;
        const int fine = odd < 20 ? 20 - odd : 0;
        struct empty_times times;

        late.late = true;
        preempted.preempted = true;
        both = late;
        both.preempted = true;
        warm_empty();
        add(rows[i].late, late, n > 0 ? calls[n - 1].ended_ns + MS : 0);
        add_quick(rows[i].preempted, preempted);
        add_quick(rows[i].both, both);
        add_quick(fine, empty_behind);
        timing_empty_times(true, calls, n, &times);
        assert_int_equal(times.count, rows[i].counted);
        assert_int_equal(times.preempted, rows[i].preempted + rows[i].both);
        assert_int_equal(times.late, rows[i].late < 50 ? rows[i].late : 50);
        assert_int_equal(times.uncounted_ns > 0, rows[i].late > 0);
        assert_int_equal(next_empty(),
                         rows[i].counted < 20 ? EMPTY_BEHIND : EMPTY_ENOUGH);
        add_quick(301 - times.preempted, preempted);
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
    add_quick(20, late);
    assert_int_equal(timing_empty_next(&timing_plan_gpu, false, calls, n), EMPTY_ENOUGH);
    timing_empty_times(false, calls, n, &times);
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
        add_quick(rows[i].behind, empty_behind);
        add_quick(20 - rows[i].behind, missed);
        assert_int_equal(next_empty(), rows[i].next);
        if (!behind)
            add_quick(20, after);
        assert_int_equal(next_empty(), EMPTY_ENOUGH);
        timing_empty_times(true, calls, n, &times);
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
    add_quick(20, missed);
    add_wide(20, after, 800);
    timing_empty_times(true, calls, n, &times);
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
    assert_true(timing_empty_wants_reference(calls, n));
    add_quick(3, slow);
    add_quick(5, disturbed);
    slow.reference_ns = 5 * MS;
    add_quick(5, slow);
    assert_true(timing_empty_wants_reference(calls, n));
    slow.reference_ns = 5 * MS + 1;
    add_quick(1, slow);
    assert_false(timing_empty_wants_reference(calls, n));
    add_quick(1, empty_behind);
    assert_false(timing_empty_wants_reference(calls, n));
}

/* --- 2. the warm-up -------------------------------------------------------- */

static const struct empty_times empty = {.behind = true,
                                         .median_ns = EMPTY_NS,
                                         .median_copy_ns = 50e3,
                                         .interval = {EMPTY_NS - 20e3, EMPTY_NS + 20e3},
                                         .bus_bytes = 10e3};
static const struct empty_times empty_not_behind = {
    .median_ns = EMPTY_NS, .median_copy_ns = 50e3, .interval = {EMPTY_NS, EMPTY_NS}};
static const struct timing_terms terms = {
    .plan = &timing_plan_gpu, .empty = &empty, .metered = true, .bus_free = 300e3};

static const struct timed_call warm = {.behind = true,
                                       .copied_behind = true,
                                       .locked = true,
                                       .undisturbed = true,
                                       .copy_ns = 50e3,
                                       .bus_bytes = 10e3};
static const struct timed_call sampled = {.sample = true,
                                          .behind = true,
                                          .copied_behind = true,
                                          .locked = true,
                                          .undisturbed = true,
                                          .ns = EMPTY_NS + 1e6,
                                          .copy_ns = 50e3,
                                          .fill_ns = 100e3,
                                          .bus_bytes = 10e3};

static struct timing_next
next(void)
{
    return timing_next(&terms, calls, n, true);
}

static void
a_warm_up_is_over(void **state)
{
    for (int i = 0; i < COUNT(warm_ups); i++) {
        const bool over = warm_ups[i].over;

        forget(state);
        if (warm_ups[i].calls > 0)
            add(warm_ups[i].calls, warm, warm_ups[i].spent_ns);
        assert_int_equal(next().what, over ? TIMING_SAMPLE : TIMING_WARM_UP);
        assert_int_equal(next().begins, over);
        assert_int_equal(timing_next(&terms, calls, n, false).what, TIMING_WARM_UP);
    }
}

static void
neighbours_may_go_on_for_half_of_a_warm_up(void **state)
{
    static const struct {
        uint64_t spent_ns;
        int calls;
        bool wants;
    } rows[] = {
        {100 * MS - 1, 1, false}, {100 * MS, 1, true}, {MS, 49, false}, {MS, 50, true}};

    assert_false(timing_wants_lock(&terms, calls, n));
    for (int i = 0; i < COUNT(rows); i++) {
        forget(state);
        add(rows[i].calls, warm, rows[i].spent_ns);
        assert_int_equal(timing_wants_lock(&terms, calls, n), rows[i].wants);
    }
    add_quick(1, sampled);
    assert_false(timing_wants_lock(&terms, calls, n)); /* they have been asked */
}

/* The first call is looked at while it runs, and so is copied after DONE. */
static void
a_warm_up_is_copied_behind_but_for_its_first_call(void **state)
{
    const struct timing_terms after = {.plan = &timing_plan_gpu,
                                       .empty = &empty_not_behind};

    (void)state;
    assert_false(next().behind);
    add_quick(1, warm);
    assert_true(next().behind);
    assert_false(timing_next(&after, calls, n, true).behind);
}

/* Of the last eight calls; 1: copied behind. Where most were not, the kind is settled as
 * soon as eight calls were quiet, or after twice a warm-up's time. */
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

        forget(state);
        for (int k = 0; k < of; k++) {
            struct timed_call call = warm;

            call.copied_behind = rows[i].copied[k] == '1';
            add(1, call, (uint64_t)(k + 1) * 400 * MS / (uint64_t)of);
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

        forget(state);
        add(20, warm, rows[i].spent_ns);
        for (int k = 0; k < n; k++) {
            calls[k].locked = k >= n - rows[i].locked;
            calls[k].copied_behind = k >= n - rows[i].behind;
        }
        t.empty = rows[i].empty_behind ? &empty : &empty_not_behind;
        got = timing_next(&t, calls, n, true);
        assert_int_equal(got.what, rows[i].settled ? TIMING_SAMPLE : TIMING_WARM_UP);
        assert_int_equal(got.behind, rows[i].kind);
    }
}

/* --- 3. the samples -------------------------------------------------------- */

/* A warm-up that took longer than samples may. */
static void
warm_up(void)
{
    forget(NULL);
    add(10, warm, 3000 * MS);
}

static void
samples_are_enough(void **state)
{
    static const struct {
        double width_ns; /* of a median of 1 ms: 0.5% are 5 us, and a little more */
        uint64_t spent_ns;
        int samples;
        bool enough;
    } rows[] = {
        {0, 0, 0, false},
        {0, 0, 15, false},
        {0, 9000 * MS, 15, false},
        {5012, 0, 16, true},
        {5013, 0, 16, false},
        {5013, 1500 * MS, 16, false},
        {5013, 1500 * MS + 1, 16, true},
        {6000, 0, 199, false},
        {6000, 0, 200, true},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timing_next got;

        warm_up();
        add_wide(rows[i].samples, sampled, rows[i].width_ns);
        calls[n - 1].ended_ns += rows[i].samples > 0 ? rows[i].spent_ns : 0;
        got = next();
        assert_int_equal(got.what, rows[i].enough ? TIMING_ENOUGH : TIMING_SAMPLE);
        assert_int_equal(got.samples, rows[i].samples);
        assert_int_equal(got.begins, rows[i].samples == 0);
        assert_true(got.behind);
    }
}

static void
three_samples_are_enough_on_emu(void **state)
{
    const struct empty_times none = {0};
    const struct timing_terms emu = {.plan = &timing_plan_emu, .empty = &none};
    struct timed_call call = {
        .locked = true, .undisturbed = true, .ns = 5, .bus_bytes = -1};
    struct sample samples[3];

    (void)state;
    assert_int_equal(timing_next(&emu, calls, n, true).what, TIMING_WARM_UP);
    add_quick(1, call);
    assert_true(timing_next(&emu, calls, n, true).begins);
    call.sample = true;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(timing_next(&emu, calls, n, true).what, TIMING_SAMPLE);
        assert_false(timing_next(&emu, calls, n, true).behind);
        add_quick(1, call);
    }
    assert_int_equal(timing_next(&emu, calls, n, true).what, TIMING_ENOUGH);
    assert_int_equal(timing_samples(&emu, calls, n, samples), 3);
    assert_false(samples[0].full);
    assert_false(timing_meter_stopped(&emu, &call));
    assert_near(timing_value(&samples[2], 0), 5, 0);
}

/* Slow work of ours is nobody's fault beside a neighbour, and no evidence where our
 * thread had lost its CPU. */
static void
a_call_after_slow_work_of_ours_does_not_count(void **state)
{
    static const struct {
        int slow, busy;
        bool undisturbed, counts;
    } rows[] = {{0, 0, true, true},  {1, 0, true, false}, {3, 0, true, false},
                {1, 0, false, true}, {0, 1, true, false}, {0, 1, false, false}};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct timed_call call = sampled;

        call.slow_fills = rows[i].slow;
        call.busy_fills = rows[i].busy;
        call.undisturbed = rows[i].undisturbed;
        warm_up();
        add_quick(1, sampled);
        add_quick(1, call);
        assert_int_equal(next().samples, rows[i].counts ? 2 : 1);
        assert_int_equal(timing_fill(calls, n), rows[i].slow > 0 && rows[i].undisturbed
                                                    ? FILL_DISCARD
                                                    : FILL_FINE);
        assert_int_equal(timing_busy_calls(calls, n), rows[i].busy);
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
    add_quick(5, sampled);
    assert_int_equal(timing_fill(calls, n), FILL_FINE);
    add_quick(1, always);
    assert_int_equal(timing_fill(calls, n), FILL_DISQUALIFY);
    calls[2].undisturbed = false;
    assert_int_equal(timing_fill(calls, n), FILL_DISCARD);
    warm_up();
    add_quick(10, once); /* of 20, 8 and a quarter are 13 */
    assert_int_equal(timing_fill(calls, n), FILL_DISCARD);
    add_quick(5, once); /* more than 14 of 25 */
    assert_int_equal(timing_fill(calls, n), FILL_DISQUALIFY);
}

static void
a_host_that_is_busy_beside_many_calls_is_our_failure(void **state)
{
    struct timed_call busy = sampled;

    (void)state;
    busy.busy_fills = 2;
    warm_up();
    calls[0].busy_fills = 1;
    add_quick(99, busy);
    assert_false(timing_host_is_busy(calls, n));
    add_quick(1, busy);
    assert_true(timing_host_is_busy(calls, n));
    assert_int_equal(timing_busy_calls(calls, n), 101);
    assert_int_equal(timing_fill(calls, n), FILL_FINE);
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
            assert_true(next().samples < 200 && next().behind);
            add_quick(1, call);
        }
        assert_int_equal(next().begins, rows[i].anew);
        assert_int_equal(next().behind, !rows[i].anew);
        assert_int_equal(next().samples, rows[i].samples);
        if (!rows[i].anew)
            continue;
        /* For good; and with the whole time. */
        after.behind = after.copied_behind = false;
        calls[n - 1].ended_ns += 1500 * MS;
        add_wide(16, after, 6000);
        calls[n - 1].ended_ns += 1500 * MS;
        assert_int_equal(next().what, TIMING_SAMPLE);
        assert_false(next().begins || next().behind);
        assert_int_equal(next().samples, 16);
        calls[n - 1].ended_ns++;
        assert_int_equal(next().what, TIMING_ENOUGH);
    }
}

/* --- 4. the result --------------------------------------------------------- */

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
a_modelled_time_is_a_point_and_no_time_is_below_0(void **state)
{
    const struct empty_times long_empty = {.median_ns = 9e6, .interval = {9e6, 9e6}};
    const struct empty_times none = {0};
    struct sample s[SAMPLES];
    struct timed_result r;

    (void)state;
    make_samples(s, 0);
    r = timing_result(&none, s, SAMPLES, true);
    assert_near(r.median_ns, 1007.5e3, 1);
    assert_near(r.interval.low, r.median_ns, 0);
    assert_near(r.interval.high, r.median_ns, 0);
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
        {499e3, 499e3, false, LIMIT_NEAR},
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
        cmocka_unit_test_setup(an_empty_warm_up_is_over, forget),
        cmocka_unit_test_setup(empty_calls_are_enough, forget),
        cmocka_unit_test_setup(empty_calls_beside_a_neighbour_do_not_count, forget),
        cmocka_unit_test_setup(empty_calls_on_a_busy_host_do_not_count, forget),
        cmocka_unit_test_setup(a_late_launch_is_in_an_interval_of_the_other_kind, forget),
        cmocka_unit_test_setup(empty_calls_are_of_the_kind_that_most_are, forget),
        cmocka_unit_test_setup(what_empty_calls_say, forget),
        cmocka_unit_test_setup(a_reference_that_takes_long_is_not_called, forget),
        cmocka_unit_test_setup(a_warm_up_is_over, forget),
        cmocka_unit_test_setup(neighbours_may_go_on_for_half_of_a_warm_up, forget),
        cmocka_unit_test_setup(a_warm_up_is_copied_behind_but_for_its_first_call, forget),
        cmocka_unit_test_setup(the_last_calls_of_a_warm_up_decide_the_kind, forget),
        cmocka_unit_test_setup(a_kind_that_a_neighbour_may_have_spoilt_is_tried_again,
                               forget),
        cmocka_unit_test_setup(samples_are_enough, forget),
        cmocka_unit_test_setup(three_samples_are_enough_on_emu, forget),
        cmocka_unit_test_setup(a_call_after_slow_work_of_ours_does_not_count, forget),
        cmocka_unit_test_setup(slow_work_of_ours_disqualifies, forget),
        cmocka_unit_test_setup(a_host_that_is_busy_beside_many_calls_is_our_failure,
                               forget),
        cmocka_unit_test_setup(a_meter_that_stops_is_noticed, forget),
        cmocka_unit_test_setup(samples_begin_anew_where_most_miss_their_copies, forget),
        cmocka_unit_test_setup(a_copy_is_counted_as_an_empty_calls, forget),
        cmocka_unit_test_setup(calls_over_the_bus_have_full_intervals, forget),
        cmocka_unit_test_setup(only_what_is_subtracted_can_be_off, forget),
        cmocka_unit_test_setup(a_modelled_time_is_a_point_and_no_time_is_below_0, forget),
        cmocka_unit_test_setup(sooner_than_an_empty_call_there_was_no_kernel, forget),
        cmocka_unit_test_setup(a_time_near_or_below_the_limit, forget),
        cmocka_unit_test_setup(few_full_intervals_need_no_remark, forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
