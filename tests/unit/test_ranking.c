// links: common
/* A ranking in memory, against the plain definition of rank.h, on random boards. */
#include "record/ranking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ENTRIES_MAX 40
#define BOARDS 400
#define STEPS 120

static unsigned state_of_random = 1;

static unsigned
draw(unsigned below)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % below;
}

/* Few different times and wide intervals, so that groups, ties and equal entries occur.
 */
static struct measured
draw_time(void)
{
    const double time = 100 + draw(30);

    return (struct measured){time, time - draw(5), time + draw(5)};
}

/* The plain board: entries in no order. */
struct plain {
    struct ranked entry[ENTRIES_MAX];
    size_t count;
};

static int
by_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (measured_precedes(&x->time, &y->time))
        return -1;
    if (measured_precedes(&y->time, &x->time))
        return 1;
    return (x->submission > y->submission) - (x->submission < y->submission);
}

/* What rank.h says of a time among the entries but `left_out`. */
static struct place
plain_place(struct plain b, const struct measured *one, int64_t left_out)
{
    struct measured others[ENTRIES_MAX];
    size_t n = 0;

    qsort(b.entry, b.count, sizeof *b.entry, by_order);
    for (size_t i = 0; i < b.count; i++)
        if (b.entry[i].submission != left_out)
            others[n++] = b.entry[i].time;
    return place_among(one, others, n);
}

static void
assert_same(const struct place *got, const struct place *want)
{
    assert_int_equal(got->faster, want->faster);
    assert_int_equal(got->ties, want->ties);
    assert_int_equal(got->slower, want->slower);
}

static void
assert_places(struct ranking *g, const struct plain *b)
{
    const struct measured stranger = draw_time();
    struct place got = ranking_place(g, &stranger, NULL);
    struct place want = plain_place(*b, &stranger, 0);

    assert_int_equal(ranking_count(g), b->count);
    assert_same(&got, &want);
    for (size_t i = 0; i < b->count; i++) {
        const struct ranked own = *ranking_entry(g, i);
        const struct measured other = draw_time();

        got = ranking_place_of(g, i);
        want = plain_place(*b, &own.time, own.submission);
        assert_same(&got, &want);
        got = ranking_place(g, &own.time, &own);
        assert_same(&got, &want);
        got = ranking_place(g, &other, &own);
        want = plain_place(*b, &other, own.submission);
        assert_same(&got, &want);
    }
}

static void
places_are_those_of_the_definition(void **state)
{
    (void)state;
    for (int board = 0; board < BOARDS; board++) {
        struct ranking *g = ranking_new();
        struct plain b = {0};
        int64_t next = 1;
        const size_t most = 1 + draw(ENTRIES_MAX - 1);

        for (int step = 0; step < STEPS; step++) {
            if (b.count == most || (b.count > 0 && draw(3) == 0)) {
                const size_t at = draw((unsigned)b.count);

                ranking_remove(&g, &b.entry[at]);
                b.entry[at] = b.entry[--b.count];
            } else {
                b.entry[b.count] = (struct ranked){draw_time(), next++};
                ranking_add(&g, &b.entry[b.count++]);
            }
            if (draw(8) == 0)
                assert_places(g, &b);
        }
        assert_places(g, &b);
        ranking_release(g);
    }
}

static void
a_holder_keeps_what_it_has_seen(void **state)
{
    const struct ranked first = {{100, 99, 101}, 1}, second = {{90, 89, 91}, 2};
    struct ranking *g = ranking_new(), *held;

    (void)state;
    ranking_add(&g, &first);
    held = ranking_hold(g);
    ranking_add(&g, &second);
    ranking_remove(&g, &first);
    assert_int_equal(ranking_count(held), 1);
    assert_int_equal(ranking_entry(held, 0)->submission, 1);
    assert_int_equal(ranking_count(g), 1);
    assert_int_equal(ranking_entry(g, 0)->submission, 2);
    ranking_remove(&g, &first); /* it is gone already */
    assert_int_equal(ranking_count(g), 1);
    ranking_release(held);
    ranking_release(g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_of_the_definition),
        cmocka_unit_test(a_holder_keeps_what_it_has_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
