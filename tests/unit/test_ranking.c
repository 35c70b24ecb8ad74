// links: common
/* A ranking in memory, against the plain definition of rank.h, on random boards. */
#include "base/buf.h"
#include "record/ranking.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMALL 40
#define SMALL_BOARDS 300
#define LARGE 4000 /* entries: eight blocks and more */
#define LARGE_BOARDS 10

static unsigned state_of_random = 1;

static unsigned
draw(unsigned below)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % below;
}

/* How the times of a board are spread. */
enum kind {
    FEW_TIMES,   /* and wide intervals, so that ties and equal entries occur */
    POINTS,      /* almost each entry leads a group */
    LOGARITHMIC, /* as measured: intervals of some percent, many entries in a group */
    SCATTERED,   /* some intervals reach over half of the board */
    ALL_ONE,     /* one group */
    KINDS
};

static struct measured
draw_time(enum kind kind)
{
    const double time = 100 + draw(30), spread = exp(draw(100000) / 2e4);

    switch (kind) {
    case POINTS:
        return (struct measured){spread, spread, spread};
    case LOGARITHMIC:
        return (struct measured){spread, spread * (1 - draw(20) / 1e3),
                                 spread * (1 + draw(20) / 1e3)};
    case SCATTERED:
        if (draw(10) == 0)
            return (struct measured){spread, spread / (1 + draw(50)), spread * 2};
        return (struct measured){spread, spread * 0.999, spread * 1.001};
    case ALL_ONE:
        return (struct measured){time, time - 40, time + 40};
    default:
        return (struct measured){time, time - draw(5), time + draw(5)};
    }
}

/* The plain board: entries, sorted before they are compared. */
struct plain {
    struct ranked entry[LARGE];
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

/* The times of a board that is in order, without entry `left_out`. The caller frees. */
static struct measured *
plain_times(const struct plain *b, size_t left_out, size_t *count)
{
    struct measured *times = xcalloc(b->count + 1, sizeof *times);

    *count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (i != left_out)
            times[(*count)++] = b->entry[i].time;
    return times;
}

static void
assert_same(const struct place *got, const struct place *want)
{
    assert_int_equal(got->faster, want->faster);
    assert_int_equal(got->ties, want->ties);
    assert_int_equal(got->slower, want->slower);
    assert_int_equal(place_rank(got), place_rank(want));
    assert_true(place_percentile(got) == place_percentile(want));
}

/* A time among the entries without one of them, or among all. */
static void
assert_place(const struct ranking *g, const struct plain *b, const struct measured *one,
             size_t left_out)
{
    size_t count;
    struct measured *others = plain_times(b, left_out, &count);
    const struct place want = place_among(one, others, count),
                       got = ranking_place(
                           g, one, left_out < b->count ? &b->entry[left_out] : NULL);

    assert_same(&got, &want);
    free(others);
}

static void
assert_histogram(const struct ranking *g, const struct plain *b)
{
    struct bucket got[HISTOGRAM_BUCKETS_MAX], want[HISTOGRAM_BUCKETS_MAX];
    double *times = xcalloc(b->count + 1, sizeof *times);
    int count;

    for (size_t i = 0; i < b->count; i++)
        times[i] = b->entry[i].time.time_ns;
    count = histogram(times, b->count, want);
    free(times);
    assert_int_equal(ranking_histogram(g, got), count);
    for (int i = 0; i < count; i++) {
        assert_true(got[i].from_ns == want[i].from_ns);
        assert_true(got[i].to_ns == want[i].to_ns);
        assert_int_equal(got[i].count, want[i].count);
    }
}

/* All places, all entries in their order, the histogram, and places of some others. */
static void
assert_board(const struct ranking *g, struct plain *b, enum kind kind)
{
    struct place *want = xcalloc(b->count + 1, sizeof *want);
    struct measured *times;
    size_t count;

    if (b->count > 1)
        qsort(b->entry, b->count, sizeof *b->entry, by_order);
    times = plain_times(b, b->count, &count);
    places_of_sorted(times, count, want);
    assert_int_equal(ranking_count(g), count);
    for (size_t i = 0; i < count; i++) {
        const struct place got = ranking_place_of(g, i);

        assert_memory_equal(ranking_entry(g, i), &b->entry[i], sizeof b->entry[i]);
        assert_int_equal(ranking_behind(g, &b->entry[i]), i + 1);
        assert_same(&got, &want[i]);
    }
    free(times);
    free(want);
    assert_histogram(g, b);
    for (int i = 0; i < SMALL; i++) {
        const struct measured other = draw_time(kind);
        const size_t at = draw((unsigned)count + 1);

        assert_place(g, b, &other, at);
        if (at < count)
            assert_place(g, b, &b->entry[at].time, at);
    }
}

/* A ranking that somebody holds, and what it showed then. */
struct held {
    struct ranking *ranking;
    struct plain plain;
};

static void
held_take(struct held *h, struct ranking *g, const struct plain *b)
{
    h->ranking = ranking_hold(g);
    h->plain = *b;
}

static void
held_check(struct held *h, enum kind kind)
{
    if (h->ranking == NULL)
        return;
    assert_board(h->ranking, &h->plain, kind);
    ranking_release(h->ranking);
    h->ranking = NULL;
}

/* One entry more, or one less. The board grows and shrinks in turn. */
static void
change_board(struct ranking **g, struct plain *b, size_t most, bool grows, enum kind kind)
{
    static int64_t next = 1;

    if (b->count < most && (b->count == 0 || draw(8) < (grows ? 7u : 1u))) {
        b->entry[b->count] = (struct ranked){draw_time(kind), next++};
        ranking_add(g, &b->entry[b->count++]);
    } else {
        const size_t at = draw((unsigned)b->count);

        ranking_remove(g, &b->entry[at]);
        b->entry[at] = b->entry[--b->count];
    }
}

/* Changes a board `steps` times, and compares it every so many. */
static void
live_board(enum kind kind, size_t most, unsigned steps, unsigned every)
{
    static struct plain b;
    static struct held held;
    struct ranking *g = ranking_new();

    b.count = 0;
    for (unsigned step = 0; step < steps; step++) {
        change_board(&g, &b, most, step % most < most * 3 / 4, kind);
        if (draw(every) == 0)
            assert_board(g, &b, kind);
        if (draw(every) == 0) {
            held_check(&held, kind);
            held_take(&held, g, &b);
        }
    }
    assert_board(g, &b, kind);
    held_check(&held, kind);
    while (b.count > 0) { /* down to the last entry */
        change_board(&g, &b, 0, false, kind);
        if (draw(every) == 0)
            assert_board(g, &b, kind);
    }
    assert_board(g, &b, kind);
    ranking_release(g);
}

static void
small_boards_are_as_defined(void **state)
{
    (void)state;
    for (int board = 0; board < SMALL_BOARDS; board++)
        live_board((enum kind)(board % KINDS), 1 + draw(SMALL - 1), 120, 8);
}

static void
large_boards_are_as_defined(void **state)
{
    (void)state;
    for (int board = 0; board < LARGE_BOARDS; board++)
        live_board((enum kind)(board % KINDS), LARGE, 3 * LARGE, LARGE / 4);
}

/* A ranking that is made at once is the same as one that grew, and grows on. */
static void
made_at_once_is_as_defined(void **state)
{
    static struct plain b;

    (void)state;
    for (int board = 0; board < 4 * KINDS; board++) {
        const enum kind kind = (enum kind)(board % KINDS);
        struct ranking *g;

        b.count = board < KINDS ? draw(4) : draw(LARGE - 100);
        for (size_t i = 0; i < b.count; i++)
            b.entry[i] = (struct ranked){draw_time(kind), (int64_t)i - LARGE};
        g = ranking_of(b.entry, b.count);
        assert_board(g, &b, kind);
        for (int i = 0; i < 100; i++)
            change_board(&g, &b, LARGE, true, kind);
        assert_board(g, &b, kind);
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
        cmocka_unit_test(small_boards_are_as_defined),
        cmocka_unit_test(large_boards_are_as_defined),
        cmocka_unit_test(made_at_once_is_as_defined),
        cmocka_unit_test(a_holder_keeps_what_it_has_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
