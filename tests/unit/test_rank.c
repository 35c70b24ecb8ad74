// links: common
/* Ranks, percentiles, histograms. */
#include "record/rank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Times that are known exactly. */
#define POINT(t)                                                                         \
    {                                                                                    \
        (t), (t), (t)                                                                    \
    }

static void
ties_share_a_rank_and_the_next_skips(void **state)
{
    const struct measured times[] = {POINT(10), POINT(20), POINT(20), POINT(40)};
    const int64_t ranks[] = {1, 2, 2, 4};
    struct place places[COUNT(times)];

    (void)state;
    places_of_sorted(times, COUNT(times), places);
    for (size_t i = 0; i < COUNT(times); i++)
        assert_int_equal(place_rank(&places[i]), ranks[i]);
}

/* The second overlaps the first; the third only the second, so it leads a group of its
 * own, although it cannot be told from the second; touching ends overlap. */
static void
intervals_that_overlap_their_leader_share_its_rank(void **state)
{
    const struct measured times[] = {{100, 98, 103},
                                     {104, 102, 107},
                                     {106, 104, 108},
                                     {110, 108, 113},
                                     {120, 119, 121}};
    const int64_t ranks[] = {1, 1, 3, 3, 5};
    struct place places[COUNT(times)];

    (void)state;
    places_of_sorted(times, COUNT(times), places);
    for (size_t i = 0; i < COUNT(times); i++)
        assert_int_equal(place_rank(&places[i]), ranks[i]);
    assert_float_equal(place_percentile(&places[0]), 100.0 * 3.5 / 4, 1e-12);
    assert_float_equal(place_percentile(&places[3]), 100.0 * 1.5 / 4, 1e-12);
    assert_float_equal(place_percentile(&places[4]), 0, 1e-12);
}

/* The formula of the design: 100 * (slower + ties/2) / (n - 1). */
static void
percentile_counts_the_others(void **state)
{
    const struct measured times[] = {POINT(10), POINT(20), POINT(20), POINT(40)};
    struct place places[COUNT(times)];

    (void)state;
    places_of_sorted(times, COUNT(times), places);
    assert_float_equal(place_percentile(&places[0]), 100.0, 1e-12);
    assert_float_equal(place_percentile(&places[1]), 100.0 * 1.5 / 3, 1e-12);
    assert_float_equal(place_percentile(&places[3]), 0.0, 1e-12);
}

static void
alone_is_first_of_all(void **state)
{
    const struct measured time = POINT(5);
    struct place p = place_among(&time, NULL, 0);

    (void)state;
    assert_int_equal(place_rank(&p), 1);
    assert_float_equal(place_percentile(&p), 100.0, 1e-12);
}

static void
all_equal_is_the_middle(void **state)
{
    const struct measured others[] = {POINT(7), POINT(7), POINT(7)};
    struct place p = place_among(&others[0], others, COUNT(others));

    (void)state;
    assert_int_equal(place_rank(&p), 1);
    assert_float_equal(place_percentile(&p), 50.0, 1e-12);
}

/* The place of an entry on a board is the place of its time among the others. */
static void
both_ways_agree(void **state)
{
    const struct measured times[] = {POINT(1),  POINT(1),  {2, 1.5, 3},   {3, 2, 3},
                                     {3, 2, 4}, {3, 3, 5}, {4, 3.5, 4.5}, POINT(9)};
    struct place places[COUNT(times)];

    (void)state;
    places_of_sorted(times, COUNT(times), places);
    for (size_t i = 0; i < COUNT(times); i++) {
        struct measured others[COUNT(times)];
        size_t n = 0;
        struct place p;

        for (size_t k = 0; k < COUNT(times); k++)
            if (k != i)
                others[n++] = times[k];
        p = place_among(&times[i], others, n);
        assert_int_equal(p.faster, places[i].faster);
        assert_int_equal(p.ties, places[i].ties);
        assert_int_equal(p.slower, places[i].slower);
    }
}

static void
histogram_counts_every_entry_once(void **state)
{
    double times[500];
    struct bucket buckets[HISTOGRAM_BUCKETS_MAX];

    (void)state;
    for (size_t n = 1; n <= COUNT(times); n++) {
        int64_t total = 0;
        int count;

        times[n - 1] = 1000.0 * (double)n * (double)n / 7.0;
        count = histogram(times, n, buckets);
        assert_in_range(count, 1, HISTOGRAM_BUCKETS_MAX);
        for (int i = 0; i < count; i++) {
            total += buckets[i].count;
            if (i > 0)
                assert_true(buckets[i].from_ns <= buckets[i - 1].to_ns * (1 + 1e-12) &&
                            buckets[i].from_ns > buckets[i - 1].from_ns);
        }
        assert_int_equal(total, n);
        assert_true(buckets[0].from_ns <= times[0] &&
                    buckets[count - 1].to_ns >= times[n - 1]);
    }
}

static void
histogram_of_nothing_and_of_one_time(void **state)
{
    const double same[] = {42, 42, 42};
    struct bucket buckets[HISTOGRAM_BUCKETS_MAX];

    (void)state;
    assert_int_equal(histogram(NULL, 0, buckets), 0);
    assert_int_equal(histogram(same, COUNT(same), buckets), 1);
    assert_int_equal(buckets[0].count, 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_share_a_rank_and_the_next_skips),
        cmocka_unit_test(intervals_that_overlap_their_leader_share_its_rank),
        cmocka_unit_test(percentile_counts_the_others),
        cmocka_unit_test(alone_is_first_of_all),
        cmocka_unit_test(all_equal_is_the_middle),
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(histogram_counts_every_entry_once),
        cmocka_unit_test(histogram_of_nothing_and_of_one_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
