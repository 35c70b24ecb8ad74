// links: common store_place
/* What is asked of the store again and again costs the same however many submissions it
 * has. SQLite counts the steps of its statements, so that no clock is needed. */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "record/accounts.h"
#include "record/equal.h"
#include "record/moves.h"
#include "record/replace.h"
#include "record/solved.h"
#include "record/store_statements.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FEW 5000
#define MANY 40000
#define PAGE 50
#define SLACK 20 /* steps: a number that is longer, a user who is found later */

#define LAST_DAY 1000 /* so many of the submissions, of all users, are of today */

static int filled; /* how many submissions there are; each is a millisecond later */

/* What an upgrade knows of the submissions that it finds. */
#define AS_OF_BEFORE                                                                     \
    "UPDATE listed_since SET id = (SELECT max(id) FROM submissions); DELETE FROM "       \
    "listed;"

/* Adds submissions of 10 users to 4 problems, each accepted and with a key. upgraded:
 * they are from before the table `listed`. */
static void
fill(const struct store_place *f, int count, bool upgraded)
{
    char *sql = xasprintf(
        "INSERT INTO sources (sha256, text) VALUES ('x', 'int x;');"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)"
        " INSERT INTO users (name, created_ms) SELECT 'user' || i, 1 FROM n;"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO submissions (user_id, problem, device, board, filename, source,"
        " sample_only, created_ms, done, verdict, message, finished_ms, time_ns, low_ns,"
        " high_ns, q1_ns, q3_ns, sizes, device_ms, meaning, source_digest, source_size)"
        " SELECT i %% 10 + 1, 'problem' || (i / 10 %% 4), 'emu', 'emu', 'k.cu', 'x', 0, "
        "i,"
        " 1, 'accepted', '', i + 1, i, i, i, i, i, 'N=1', 7, 'm1',"
        " printf('%%064x', CASE WHEN i > 4000 THEN i ELSE i %% 40 / 10 END), 9 FROM n;"
        "INSERT INTO equal_work (problem, kind, digest, size) SELECT DISTINCT problem, 0,"
        " source_digest, 9 FROM submissions WHERE id <= 40 ORDER BY id;"
        "INSERT INTO entries (problem, board, meaning, user_id, submission_id, time_ns,"
        " low_ns, high_ns) SELECT problem, board, meaning, user_id, id, time_ns, low_ns,"
        " high_ns FROM submissions WHERE true ON CONFLICT DO NOTHING;"
        /* Who has one entry each: a board grows with its users. */
        "INSERT INTO users (name, created_ms) SELECT 'one' || id, 1 FROM submissions"
        " WHERE problem = 'problem0'"
        " AND id NOT IN (SELECT submission_id FROM entries);"
        "INSERT INTO entries (problem, board, meaning, user_id, submission_id, time_ns,"
        " low_ns, high_ns) SELECT 'problem0', 'emu', 'm1', u.id, s.id, time_ns, low_ns,"
        " high_ns FROM submissions s JOIN users u ON u.name = 'one' || s.id;"
        "INSERT INTO moves (submission_id, made_ms, problem, board, meaning, improved,"
        " sure, rank, entries, passed) SELECT id, created_ms, problem, board, meaning,"
        " id %% 2, 0, 1, 1, 1 FROM submissions;"
        "INSERT INTO passed (move_id, number, submission_id, time_ns)"
        " SELECT id, 0, submission_id - 1, 1 FROM moves WHERE submission_id > 1;"
        "INSERT INTO submission_keys (owner, body, submission_id, created_ms)"
        " SELECT 'key' || id, 1, id, 1 FROM submissions;"
        "%s"
        /* As many are graded in bulk after that. */
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO submissions (user_id, problem, device, board, filename, source,"
        " sample_only, profile, created_ms, done, verdict, message, finished_ms)"
        " SELECT i %% 10 + 1, 'problem' || (i / 10 %% 4), 'emu', 'emu', 'k.cu', 'x', 1, "
        "3,"
        " i, 1, 'accepted', '', i + 1 FROM n",
        count, upgraded ? AS_OF_BEFORE : "", count);

    store_place_execute(f->path, sql);
    free(sql);
    filled = count;
}

/* The steps of all statements since the last call. None may have gone through a table
 * without an index. */
static int
steps_since(struct store *s, const char *what)
{
    int steps = 0;

    for (int i = 0; i < ST_COUNT; i++) {
        sqlite3_stmt *st = s->statement[i];
        const int scanned = sqlite3_stmt_status(st, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);

        steps += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
        if (scanned > PAGE)
            fail_msg("%s: %d steps of a scan: %s", what, scanned, sqlite3_sql(st));
    }
    return steps;
}

static void
list(struct store *s, const char *user, const char *problem)
{
    struct submissions rows;
    struct report r = {0};
    int64_t last;

    for (int graded = 0; graded <= 1; graded++) {
        assert_int_equal(
            store_list_end(s, user, problem, graded, INT64_MAX, PAGE, &last, &r), 0);
        assert_true(last > 0);
        assert_int_equal(store_list(s, user, problem, graded, last, PAGE, &rows, &r), 0);
        assert_int_equal(rows.count, PAGE);
        for (size_t i = 0; i < rows.count; i++)
            assert_int_equal(profile_is_graded(rows.row[i].profile), graded);
        submissions_free(&rows);
    }
}

static void
list_all(struct store *s)
{
    list(s, NULL, NULL);
}

static void
list_user(struct store *s)
{
    list(s, "user3", NULL);
}

static void
list_problem(struct store *s)
{
    list(s, NULL, "problem1");
}

static void
list_user_and_problem(struct store *s)
{
    list(s, "user3", "problem1");
}

static void
list_nothing(struct store *s)
{
    struct submissions rows;
    struct report r = {0};

    assert_int_equal(
        store_list(s, "user3", "no such problem", false, INT64_MAX, PAGE, &rows, &r), 0);
    assert_int_equal(rows.count, 0);
    submissions_free(&rows);
}

static void
show_one(struct store *s)
{
    struct submission sub;
    struct buf source = {0};
    struct report r = {0};
    bool found;

    assert_int_equal(store_get(s, 1000, &found, &sub, &r), 0);
    assert_true(found);
    submission_free(&sub);
    assert_int_equal(store_source(s, 1000, &found, &source, &r), 0);
    assert_true(found);
    buf_free(&source);
}

static void
show_board(struct store *s)
{
    struct ranking *g = store_ranking(s, &(struct board){"problem1", "emu", "m1"});
    struct entries entries;
    struct report r = {0};

    assert_int_equal(store_entries(s, g, 0, PAGE, &entries, &r), 0);
    assert_true(entries.count > 0);
    entries_free(&entries);
    ranking_release(g);
}

/* What a submission is asked about its user's quotas. */
static void
show_quota(struct store *s)
{
    struct report r = {0};
    int64_t count, since_ms, used_ms, full_ms;

    assert_int_equal(store_recent(s, "user3", PAGE, 0, &count, &since_ms, &r), 0);
    assert_int_equal(count, PAGE);
    assert_int_equal(
        store_device_use(s, "user3", 70, filled - LAST_DAY, &used_ms, &full_ms, &r), 0);
    assert_int_equal(used_ms, LAST_DAY / 10 * 7);
    assert_true(full_ms > 0);
}

/* What a page about a user asks, of one problem and one day each. */
static void
show_user(struct store *s)
{
    struct solved_entries list;
    struct report r = {0};
    int64_t number;
    bool any;

    assert_int_equal(store_has_entry(s, 3, &any, &r), 0);
    assert_true(any);
    assert_int_equal(store_solved(s, 3, "problem0", &list, &r), 0);
    assert_int_equal(list.count, 1);
    solved_entries_free(&list);
    assert_int_equal(store_accepted_between(s, 3, 0, filled, PAGE, &number, &r), 0);
    assert_int_equal(number, PAGE);
    assert_int_equal(store_accepted_before(s, 3, filled / 2, &number, &r), 0);
    assert_in_range(number, filled / 2 - 10, filled / 2 - 1);
}

static bool
keep_move(void *arg, int64_t id, const struct board *b)
{
    int64_t *last = arg;

    (void)b;
    *last = id;
    return true;
}

static void
show_feed(struct store *s)
{
    static const char *const PROBLEMS[] = {NULL, "problem1"};
    struct report r = {0};
    struct told_move m;
    bool found = false;

    for (size_t i = 0; i < 2; i++) {
        int64_t id = 0;

        assert_int_equal(
            store_look_at_moves(s, PROBLEMS[i], INT64_MAX, PAGE, keep_move, &id, &r), 0);
        assert_int_equal(store_told_move(s, id, &found, &m, &r), 0);
        assert_true(found);
        assert_int_equal(m.passed_count, 1);
        told_move_free(&m);
    }
    assert_int_equal(store_drop_move(s, 1, &r), 0);
}

/* A key is looked for, and a few that are too old are dropped. */
static void
submit(struct store *s)
{
    const struct submission_key key = {.owner = "new", .body = 1};
    const struct new_submission n = {.user = "user3",
                                     .problem = "problem1",
                                     .device = "emu",
                                     .board = "emu",
                                     .filename = "k.cu",
                                     .source = "int y;",
                                     .key = &key};
    struct report r = {0};
    uint64_t body;
    int64_t id;

    assert_int_equal(store_find_key(s, "none", &id, &body, &r), 0);
    assert_int_equal(store_submit(s, &n, &id, &r), 0);
}

/* Ten people share a source, each with a hundred submissions. */
static void
show_equal(struct store *s)
{
    struct equal_work w[EQUAL_KIND_COUNT];
    const char *problem[] = {NULL, "problem1"};
    struct report r = {0};
    int64_t last;
    bool found = false;

    assert_int_equal(store_equal_to(s, 1000, w, &r), 0);
    assert_int_equal(w[EQUAL_SOURCE].count, 9);
    assert_int_equal(w[EQUAL_PTX].count, 0);
    for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++)
        equal_work_free(&w[kind]);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(store_equal_end(s, problem[i], INT64_MAX, 1, &last, &r), 0);
        assert_int_equal(store_equal_before(s, problem[i], INT64_MAX, &found, w, &r), 0);
        assert_true(found);
        assert_int_equal(w->count, 10);
        equal_work_free(w);
    }
}

/* A page of users, of whom there are as many as submissions to a problem. */
static void
show_accounts(struct store *s)
{
    struct accounts list;
    struct report r = {0};
    char *last = NULL;

    assert_int_equal(store_accounts_end(s, "one1", "NE", PAGE, &last, &r), 0);
    assert_non_null(last);
    assert_int_equal(store_accounts(s, "one1", "NE", PAGE, &list, &r), 0);
    assert_int_equal(list.count, PAGE);
    assert_string_equal(list.row[PAGE - 1].name, last);
    accounts_free(&list);
    free(last);
    assert_int_equal(store_accounts(s, "user2", "", 1, &list, &r), 0);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.row[0].name, "user3");
    assert_in_range(list.row[0].submissions, filled / 5, filled / 5 + 1);
    accounts_free(&list);
}

/* What names the submission is looked for in all tables. */
static void
delete_one(struct store *s)
{
    const int64_t id = store_submit_as(s, "leaver", false);
    struct report r = {0};

    store_record_as(s, id, VERDICT_ACCEPTED, 100);
    assert_int_equal(store_delete_submission(s, id, &r), 0);
}

static const struct {
    const char *name;
    void (*ask)(struct store *s);
} ASKED[] = {
    {"list_all", list_all},           {"list_user", list_user},
    {"list_problem", list_problem},   {"list_user_and_problem", list_user_and_problem},
    {"list_nothing", list_nothing},   {"show_one", show_one},
    {"show_board", show_board},       {"show_quota", show_quota},
    {"show_user", show_user},         {"show_feed", show_feed},
    {"show_equal", show_equal},       {"submit", submit},
    {"show_accounts", show_accounts}, {"delete_one", delete_one},
};

#define ASKED_COUNT (sizeof ASKED / sizeof ASKED[0])

/* Counts the steps of each on a database of so many submissions. */
static void
count_steps(int count, bool upgraded, int steps[ASKED_COUNT])
{
    void *state = NULL;
    struct store *s;

    assert_int_equal(store_place_make(&state), 0);
    s = store_place_open(state);
    store_close(s);
    fill(state, count, upgraded);
    s = store_place_open(state);
    for (int i = 0; i < ST_COUNT; i++) { /* what opening it took does not count */
        (void)sqlite3_stmt_status(s->statement[i], SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
        (void)sqlite3_stmt_status(s->statement[i], SQLITE_STMTSTATUS_VM_STEP, 1);
    }
    for (size_t i = 0; i < ASKED_COUNT; i++) {
        ASKED[i].ask(s);
        steps[i] = steps_since(s, ASKED[i].name);
        assert_true(steps[i] > 0);
    }
    store_close(s);
    assert_int_equal(store_place_remove(&state), 0);
}

static void
nothing_costs_more_on_a_larger_database(void **state)
{
    int few[ASKED_COUNT], many[ASKED_COUNT];

    (void)state;
    for (int upgraded = 0; upgraded <= 1; upgraded++) {
        count_steps(FEW, upgraded, few);
        count_steps(MANY, upgraded, many);
        for (size_t i = 0; i < ASKED_COUNT; i++)
            if (many[i] > few[i] + SLACK)
                fail_msg("%s: %d steps with %d submissions, %d with %d%s", ASKED[i].name,
                         few[i], FEW, many[i], MANY, upgraded ? ", of before" : "");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_costs_more_on_a_larger_database),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
