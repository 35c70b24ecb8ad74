// links: common store_place
/* The house's marks on the boards. */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "record/marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
set(struct store *s, const struct board *b, const char *filename, const char *sha256,
    double time_ns, double half)
{
    struct mark m = {.filename = (char *)(uintptr_t)filename,
                     .time = {time_ns, time_ns - half, time_ns + half}};
    struct report r = {0};

    snprintf(m.sha256, sizeof m.sha256, "%s", sha256);
    assert_int_equal(store_set_mark(s, b, &m, &r), 0);
}

/* The marks of a board as "NAME SHA256 TIME, ". */
static void
check(struct store *s, const struct board *b, const char *want)
{
    struct marks list;
    struct report r = {0};
    struct buf text = {0};

    assert_int_equal(store_marks(s, b, &list, &r), 0);
    for (size_t i = 0; i < list.count; i++)
        buf_printf(&text, "%s %s %.0f, ", list.row[i].filename, list.row[i].sha256,
                   list.row[i].time.time_ns);
    assert_string_equal(buf_str(&text), want);
    marks_free(&list);
    buf_free(&text);
}

static void
marks_stand_on_their_board_by_time(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const struct board board = {"softmax", "emu", "today"},
                       others[] = {{"softmax", "emu", "before"},
                                   {"softmax", "NVIDIA H200", "today"},
                                   {"reduction", "emu", "today"}};
    struct report r = {0};

    check(s, &board, "");
    set(s, &board, "1-naive.cu", "aa", 300, 0);
    set(s, &board, "3-fast.cu", "cc", 100, 0);
    set(s, &board, "2-shares.cu", "bb", 200, 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        set(s, &others[i], "1-naive.cu", "aa", 7, 0);
    check(s, &board, "3-fast.cu cc 100, 2-shares.cu bb 200, 1-naive.cu aa 300, ");
    set(s, &board, "3-fast.cu", "dd", 250, 0);
    assert_int_equal(store_drop_mark(s, &board, "1-naive.cu", &r), 0);
    assert_int_equal(store_drop_mark(s, &board, "9-none.cu", &r), 0);
    check(s, &board, "2-shares.cu bb 200, 3-fast.cu dd 250, ");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check(s, &others[i], "1-naive.cu aa 7, ");
    store_close(s);
}

/* Only what is surely faster has beaten a mark. */
static void
a_mark_is_beaten_by_a_time_that_is_surely_faster(void **state)
{
    const struct mark m = {.ranked = {100, 90, 110}};

    (void)state;
    assert_true(mark_is_beaten(&m, &(struct measured){80, 75, 89}));
    assert_false(mark_is_beaten(&m, &(struct measured){80, 75, 90}));
    assert_false(mark_is_beaten(&m, &(struct measured){80, 10, 200}));
    assert_false(mark_is_beaten(&m, &(struct measured){100, 90, 110}));
    assert_false(mark_is_beaten(&m, &(struct measured){0}));
}

/* A mark that scatters is no harder to beat than the board's ranks tell times apart. */
static void
a_mark_is_compared_by_its_ranked_interval(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct marks list;
    struct report r = {0};

    set(s, &STORE_BOARD, "1-naive.cu", "aa", 1000, 500);
    assert_int_equal(store_marks(s, &STORE_BOARD, &list, &r), 0);
    assert_float_equal(list.row[0].time.low_ns, 500, 0);
    assert_int_equal(marks_beaten(&list, &(struct measured){970, 970, 970}), 1);
    assert_int_equal(marks_beaten(&list, &(struct measured){990, 990, 990}), 0);
    marks_free(&list);
    store_close(s);
}

/* Marks change no board: places, counts and versions stay. */
static void
marks_are_no_entries(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const int64_t ada = store_submit_as(s, "ada", false),
                  ben = store_submit_as(s, "ben", false);
    const struct measured time = {150, 150, 150};
    struct ranking *before, *after;
    struct report r = {0};
    struct place place;
    struct measured own;
    double own_ns;

    store_record_as(s, ada, VERDICT_ACCEPTED, 100);
    store_record_as(s, ben, VERDICT_ACCEPTED, 200);
    before = store_ranking(s, &STORE_BOARD);
    set(s, &STORE_BOARD, "1-naive.cu", "aa", 120, 10);
    after = store_ranking(s, &STORE_BOARD);
    assert_int_equal(ranking_version(before), ranking_version(after));
    assert_int_equal(ranking_count(after), 2);
    assert_int_equal(store_place(s, &STORE_BOARD, "cat", &time, &place, &own_ns, &r), 0);
    assert_int_equal(place.faster, 1);
    assert_int_equal(place.ties, 0);
    assert_int_equal(place.slower, 1);
    assert_int_equal(store_own_time(s, &STORE_BOARD, "ada", &own, &r), 0);
    assert_float_equal(own.time_ns, 100, 0);
    assert_int_equal(store_own_time(s, &STORE_BOARD, "cat", &own, &r), 0);
    assert_float_equal(own.time_ns, 0, 0);
    ranking_release(before);
    ranking_release(after);
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(marks_stand_on_their_board_by_time,
                                        store_place_make, store_place_remove),
        cmocka_unit_test(a_mark_is_beaten_by_a_time_that_is_surely_faster),
        cmocka_unit_test_setup_teardown(a_mark_is_compared_by_its_ranked_interval,
                                        store_place_make, store_place_remove),
        cmocka_unit_test_setup_teardown(marks_are_no_entries, store_place_make,
                                        store_place_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
