// links: common store_place
/* What results change on their boards, against the plain definition. Each test has a
 * folder of its own. */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "problem/names.h"
#include "record/accounts.h"
#include "record/moves.h"
#include "record/ranked_interval.h"
#include "record/replace.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define USERS 14
#define RESULTS 150

static struct move
move_of(struct store *s, int64_t id)
{
    struct report r = {0};
    struct move m = {0};
    bool found = false;

    if (store_move(s, id, &found, &m, &r) != 0)
        fail_msg("%s", r.text);
    if (!found)
        fail_msg("submission %d has no move", (int)id);
    return m;
}

static void
check_no_move(struct store *s, int64_t id)
{
    struct report r = {0};
    struct move m;
    bool found = true;

    assert_int_equal(store_move(s, id, &found, &m, &r), 0);
    assert_false(found);
}

static int64_t
record(struct store *s, const char *user, double time_ns)
{
    const int64_t id = store_submit_as(s, user, false);

    store_record_as(s, id, VERDICT_ACCEPTED, time_ns);
    return id;
}

static void
a_first_result_has_nothing_before_it(void **state)
{
    struct store *s = store_place_open(*state);
    struct move m = move_of(s, record(s, "ada", 100));

    assert_true(m.improved);
    assert_int_equal(m.best, 0);
    assert_int_equal(m.rank_before, 0);
    assert_int_equal(m.rank, 1);
    assert_int_equal(m.entries, 1);
    assert_int_equal(m.passed, 0);
    m = move_of(s, record(s, "ben", 50));
    assert_int_equal(m.rank, 1);
    assert_int_equal(m.entries, 2);
    assert_int_equal(m.passed, 1);
    store_close(s);
}

static void
a_faster_result_passes_and_a_slower_one_stays(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t first = record(s, "ada", 100);
    struct move m;

    record(s, "ben", 80);
    record(s, "cleo", 60);
    m = move_of(s, record(s, "ada", 70));
    assert_true(m.improved && m.sure);
    assert_int_equal(m.best, first);
    assert_float_equal(m.best_ns, 100, 0);
    assert_int_equal(m.rank_before, 3);
    assert_int_equal(m.rank, 2);
    assert_int_equal(m.entries, 3);
    assert_int_equal(m.passed, 1);
    m = move_of(s, record(s, "ada", 71)); /* its interval overlaps that of 70 */
    assert_false(m.improved || m.sure);
    assert_float_equal(m.best_ns, 70, 0);
    assert_int_equal(m.rank_before, 2);
    assert_int_equal(m.rank, 2);
    assert_int_equal(m.passed, 0);
    store_close(s);
}

/* Wrong results, samples and the house change no board of people's. */
static void
other_results_have_no_move(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t wrong = store_submit_as(s, "ada", false),
                  sample = store_submit_as(s, "ada", true);

    store_record_as(s, wrong, VERDICT_WRONG_ANSWER, 0);
    store_record_as(s, sample, VERDICT_ACCEPTED, 0);
    check_no_move(s, wrong);
    check_no_move(s, sample);
    check_no_move(s, record(s, HOUSE_USER, 10));
    check_no_move(s, 1000);
    store_close(s);
}

/* What a result changed is no longer true where another took its place. */
static void
a_replaced_result_has_no_move(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t ben = record(s, "ben", 100), ada = record(s, "ada", 50);
    struct result wrong = {.verdict = VERDICT_WRONG_ANSWER};
    const struct replacement p = {.id = ada,
                                  .finished = {.result = &wrong, .meaning = "m1"}};
    struct report r = {0};

    assert_int_equal(move_of(s, ada).passed, 1);
    if (store_replace(s, &p, 1, &r) != 0)
        fail_msg("%s", r.text);
    check_no_move(s, ada);
    assert_int_equal(move_of(s, ben).rank, 1);
    store_close(s);
}

/* --- the feed ----------------------------------------------------------- */

struct looked {
    int64_t id[16];
    int count, most;
};

static bool
keep_look(void *arg, int64_t id, const struct board *b)
{
    struct looked *l = arg;

    assert_string_equal(b->problem, STORE_BOARD.problem);
    assert_string_equal(b->device, STORE_BOARD.device);
    assert_string_equal(b->meaning, STORE_BOARD.meaning);
    l->id[l->count++] = id;
    return l->count < l->most;
}

static struct looked
look(struct store *s, const char *problem, int64_t before, int most)
{
    struct looked l = {.most = most};
    struct report r = {0};

    if (store_look_at_moves(s, problem, before, 16, keep_look, &l, &r) != 0)
        fail_msg("%s", r.text);
    return l;
}

static struct told_move
told(struct store *s, int64_t id)
{
    struct report r = {0};
    struct told_move m = {0};
    bool found = false;

    if (store_told_move(s, id, &found, &m, &r) != 0)
        fail_msg("%s", r.text);
    assert_true(found);
    return m;
}

/* Only what improved a board is in the feed, the newest first, in pages. */
static void
the_feed_has_what_improved_a_board(void **state)
{
    struct store *s = store_place_open(*state);
    struct report r = {0};
    struct told_move m;
    struct looked l;
    bool found = true;
    int64_t fast;

    record(s, "ben", 100);
    record(s, "ben", 200);
    record(s, "ada", 150);
    fast = record(s, "ada", 50);
    l = look(s, NULL, INT64_MAX, 16);
    assert_int_equal(l.count, 3);
    assert_true(l.id[0] > l.id[1] && l.id[1] > l.id[2]);
    m = told(s, l.id[0]);
    assert_string_equal(m.user, "ada");
    assert_string_equal(m.problem, STORE_BOARD.problem);
    assert_string_equal(m.board, STORE_BOARD.device);
    assert_int_equal(m.submission, fast);
    assert_float_equal(m.time_ns, 50, 0);
    assert_int_equal(m.move.rank_before, 2);
    assert_int_equal(m.passed_count, 1);
    assert_string_equal(m.passed[0].user, "ben");
    assert_float_equal(m.passed[0].time_ns, 100, 0);
    told_move_free(&m);
    assert_int_equal(look(s, STORE_BOARD.problem, l.id[0], 16).count, 2);
    assert_int_equal(look(s, STORE_BOARD.problem, INT64_MAX, 2).count, 2);
    assert_int_equal(look(s, "another", INT64_MAX, 16).count, 0);
    assert_int_equal(store_told_move(s, 1000, &found, &m, &r), 0);
    assert_false(found);
    store_close(s);
}

/* An account that takes over what was submitted under another name has overtaken nobody
 * by that. */
static void
nobody_overtakes_oneself(void **state)
{
    struct store *s = store_place_open(*state);
    struct account ada, old;
    struct report r = {0};
    struct told_move m;
    bool found;

    assert_int_equal(store_ensure_account(s, "ada", &ada, &r), 0);
    record(s, "old-ada", 100);
    record(s, "ben", 90);
    record(s, "ada", 50);
    assert_int_equal(store_account(s, "old-ada", &found, &old, &r), 0);
    assert_true(found);
    assert_int_equal(store_assign(s, old.id, ada.id, &r), 0);
    m = told(s, look(s, NULL, INT64_MAX, 16).id[0]);
    assert_string_equal(m.user, "ada");
    assert_int_equal(m.passed_count, 1);
    assert_string_equal(m.passed[0].user, "ben");
    told_move_free(&m);
    account_free(&old);
    account_free(&ada);
    store_close(s);
}

/* --- random boards ------------------------------------------------------ */

static unsigned state_of_random = 1;

static unsigned
draw(unsigned below)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % below;
}

/* Few different times and wide intervals, so that groups and ties occur. Afterwards *time
 * has the ranked interval. */
static int64_t
record_drawn(struct store *s, const char *user, struct measured *time)
{
    static char sizes[] = "N=4";
    struct result res = {.verdict = VERDICT_ACCEPTED};
    const struct finished_submission f = {.result = &res, .meaning = STORE_BOARD.meaning};
    const int64_t id = store_submit_as(s, user, false);
    struct report r = {0};

    time->time_ns = 100 + draw(60);
    time->low_ns = time->time_ns - draw(4);
    time->high_ns = time->time_ns + draw(4);
    res.timing = (struct timing){.present = true,
                                 .sample_count = 1,
                                 .sample_ns = &time->time_ns,
                                 .median_ns = time->time_ns,
                                 .q1_ns = time->time_ns,
                                 .q3_ns = time->time_ns,
                                 .low_ns = time->low_ns,
                                 .high_ns = time->high_ns,
                                 .sizes = sizes};
    if (store_record(s, id, &f, &r) != 0)
        fail_msg("%s", r.text);
    *time = ranked_interval(time, STORE_BOARD.device);
    return id;
}

/* A board as a plain list: each user's entry; 0: none. */
struct plain {
    struct ranked entry[USERS];
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

/* The entries of all but one user, in order; how many. */
static size_t
plain_others(const struct plain *b, int user, struct ranked *out, struct measured *times)
{
    size_t n = 0;

    for (int i = 0; i < USERS; i++)
        if (i != user && b->entry[i].submission != 0)
            out[n++] = b->entry[i];
    qsort(out, n, sizeof *out, by_order);
    for (size_t i = 0; i < n; i++)
        times[i] = out[i].time;
    return n;
}

/* Compares the rows of `passed` with the entries from `first` on. */
static void
check_kept(const char *path, int64_t id, const struct ranked *first, int64_t count)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    int64_t i = 0;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT p.submission_id, p.time_ns FROM moves m JOIN passed p"
                           " ON p.move_id = m.id WHERE m.submission_id = ?1"
                           " ORDER BY p.number",
                           -1, &st, NULL),
        SQLITE_OK);
    sqlite3_bind_int64(st, 1, id);
    for (; sqlite3_step(st) == SQLITE_ROW; i++) {
        assert_true(i < count);
        assert_int_equal(sqlite3_column_int64(st, 0), first[i].submission);
        assert_float_equal(sqlite3_column_double(st, 1), first[i].time.time_ns, 0);
    }
    assert_int_equal(i, count < PASSED_KEPT ? count : PASSED_KEPT);
    sqlite3_finalize(st);
    sqlite3_close(db);
}

/* A user's next result; returns how many it has passed. */
static int64_t
step_of(struct store *s, const char *path, struct plain *b, int user)
{
    char *name = xasprintf("user%d", user);
    const struct ranked own = b->entry[user];
    struct ranked others[USERS], now;
    struct measured times[USERS], time;
    const size_t n = plain_others(b, user, others, times);
    struct place before = {0}, after;
    const int64_t id = record_drawn(s, name, &time);
    const struct move m = move_of(s, id);
    const bool better = own.submission == 0 || time.time_ns < own.time.time_ns;
    int64_t passed;

    now = better ? (struct ranked){time, id} : own;
    after = place_among(&now.time, times, n);
    if (own.submission != 0)
        before = place_among(&own.time, times, n);
    passed = after.slower - before.slower;
    if (!better || passed < 0)
        passed = 0;
    assert_int_equal(m.improved, better);
    assert_int_equal(m.best, own.submission);
    assert_int_equal(m.rank_before, own.submission != 0 ? place_rank(&before) : 0);
    assert_int_equal(m.rank, place_rank(&after));
    assert_int_equal(m.entries, n + 1);
    assert_int_equal(m.passed, passed);
    check_kept(path, id, others + (n - (size_t)after.slower), passed);
    b->entry[user] = now;
    free(name);
    return passed;
}

static void
moves_are_those_of_the_plain_definition(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct plain b = {0};
    int64_t passed = 0;

    for (int i = 0; i < RESULTS; i++)
        passed += step_of(s, f->path, &b, (int)draw(USERS));
    assert_true(passed > USERS);
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, store_place_make, store_place_remove)
        T(a_first_result_has_nothing_before_it),
        T(a_faster_result_passes_and_a_slower_one_stays),
        T(other_results_have_no_move),
        T(a_replaced_result_has_no_move),
        T(the_feed_has_what_improved_a_board),
        T(nobody_overtakes_oneself),
        T(moves_are_those_of_the_plain_definition),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
