// links: common store_place
/* Databases of older versions, and backups. Each test has a folder of its own. */
#include "../fixtures/store_place.h"

#include "base/file.h"
#include "record/accounts.h"
#include "record/announcements.h"
#include "record/assignments.h"
#include "record/calibrations.h"
#include "record/equal.h"
#include "record/groups.h"
#include "record/marks.h"
#include "record/moves.h"
#include "record/replace.h"
#include "record/sessions.h"
#include "record/solved.h"
#include "record/store_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Takes a database of today back to an older version. Each step undoes one migration, the
 * youngest first. */
static void
back_to(const char *path, int version)
{
    static const struct {
        int version; /* from which the migration led on */
        const char *sql;
    } UNDO[] = {
        {31, "DROP TRIGGER counts_one_more; DROP TRIGGER counts_one_less;"
             "DROP TRIGGER counts_one_assigned; DROP TABLE submission_counts;"
             "DROP INDEX moves_by_best; DROP INDEX passed_by_submission"},
        {30, "ALTER TABLE tokens DROP COLUMN worker_roles"},
        {29, "DROP INDEX submissions_people_by_use;"
             "CREATE INDEX submissions_by_use"
             "  ON submissions (user_id, finished_ms, device_ms) WHERE device_ms > 0"},
        {28, "ALTER TABLE calibrations DROP COLUMN node;"
             "DROP TRIGGER listed_is_new; DROP TRIGGER listed_is_assigned;"
             "DROP TRIGGER listed_is_gone; DROP TABLE listed; DROP TABLE listed_since"},
        {27, "ALTER TABLE submissions DROP COLUMN node;"
             "ALTER TABLE submissions DROP COLUMN driver"},
        {26, "DROP TABLE own_quotas"},
        {25, "DROP TABLE calibrations"},
        {24, "DROP TABLE announcements"},
        {23, "ALTER TABLE assignments DROP COLUMN hides"},
        {22, "DROP TABLE own_arrays; ALTER TABLE submissions DROP COLUMN own_case"},
        {21, "DROP TABLE equal_work; DROP INDEX submissions_by_source_digest;"
             "DROP INDEX submissions_by_ptx_digest;"
             "ALTER TABLE submissions DROP COLUMN source_digest;"
             "ALTER TABLE submissions DROP COLUMN source_size;"
             "ALTER TABLE submissions DROP COLUMN ptx_digest;"
             "ALTER TABLE submissions DROP COLUMN ptx_size"},
        {20, "DROP TABLE extensions; DROP TABLE assignment_problems;"
             "DROP TABLE assignments"},
        {19, "DROP INDEX invitations_by_group;"
             "ALTER TABLE invitations DROP COLUMN group_id;"
             "DROP TABLE group_codes; DROP TABLE group_places; DROP TABLE groups"},
        {18, "DROP TABLE marks"},
        {17, "ALTER TABLE entries DROP COLUMN low_ns;"
             "ALTER TABLE entries DROP COLUMN high_ns"},
        {16, "DROP INDEX entries_by_user; DROP INDEX submissions_accepted"},
        {15, "DROP TABLE passed; DROP TABLE moves"},
        {14, "DROP TABLE begun_boards"},
        {13, "DROP TABLE past_results"},
        {12, "CREATE TABLE mixed (problem TEXT NOT NULL, board TEXT NOT NULL,"
             "  user_id INTEGER NOT NULL REFERENCES users (id),"
             "  submission_id INTEGER NOT NULL UNIQUE REFERENCES submissions (id),"
             "  time_ns REAL NOT NULL CHECK (time_ns > 0),"
             "  PRIMARY KEY (problem, board, user_id)) STRICT, WITHOUT ROWID;"
             "INSERT INTO mixed SELECT problem, board, user_id, submission_id, time_ns"
             "  FROM entries WHERE true ORDER BY time_ns ON CONFLICT DO NOTHING;"
             "DROP TABLE entries; ALTER TABLE mixed RENAME TO entries;"
             "CREATE INDEX entries_by_time ON entries (problem, board, time_ns);"
             "CREATE INDEX entries_by_board ON entries (board);"
             "ALTER TABLE submissions DROP COLUMN meaning"},
        {11, "DROP TABLE submission_keys"},
        {10, "DROP TABLE passwords; DROP TABLE sessions; DROP TABLE resets"},
        {9, "ALTER TABLE submissions DROP COLUMN findings"},
        {8, "ALTER TABLE submissions DROP COLUMN profile"},
        {7, "DROP INDEX submissions_by_use; DROP INDEX submissions_by_source;"
            "DROP INDEX users_to_purge; ALTER TABLE submissions DROP COLUMN device_ms;"
            "ALTER TABLE users DROP COLUMN display_name;"
            "ALTER TABLE users DROP COLUMN deleted_ms;"
            "ALTER TABLE users DROP COLUMN purged_to"},
        {5, "DROP TABLE tokens; DROP TABLE invitations; DROP INDEX users_by_name;"
            "DROP INDEX users_claimed; ALTER TABLE users DROP COLUMN role;"
            "ALTER TABLE users DROP COLUMN state"},
        {4, "ALTER TABLE submissions DROP COLUMN seed"},
        {3, "ALTER TABLE submissions DROP COLUMN insecure"},
        {2, "ALTER TABLE submissions DROP COLUMN low_ns;"
            "ALTER TABLE submissions DROP COLUMN high_ns;"
            "ALTER TABLE submissions DROP COLUMN limit_ns;"
            "ALTER TABLE submissions DROP COLUMN limit_by;"
            "ALTER TABLE submissions DROP COLUMN review;"
            "ALTER TABLE submissions DROP COLUMN remark;"
            "ALTER TABLE submissions DROP COLUMN conditions"},
    };
    char *pragma = xasprintf("PRAGMA user_version = %d", version);

    for (size_t i = 0; i < sizeof UNDO / sizeof *UNDO; i++)
        if (UNDO[i].version >= version)
            store_place_execute(path, UNDO[i].sql);
    store_place_execute(path, pragma);
    free(pragma);
}

/* The board of entries from before they had a meaning. */
static const struct board OF_BEFORE = {"vector-addition", "emu", MEANING_OF_BEFORE};

static void
count_board(void *arg, const char *problem, const char *device)
{
    int *count = arg;

    assert_string_equal(problem, OF_BEFORE.problem);
    assert_string_equal(device, OF_BEFORE.device);
    ++*count;
}

static int
count_of_before(struct store *s)
{
    int count = 0;

    store_boards_of_before(s, count_board, &count);
    return count;
}

/* A board of version 11 has the times of two benchmarks. Those of today's sizes get
 * today's meaning, also where their user had a faster time with the other sizes. */
static void
results_of_before_are_told_apart_by_their_sizes(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const struct adoption adoption = {{"vector-addition", "emu", "today"}, "N=4"};
    struct report r = {0};
    struct submission sub;
    bool found;
    int64_t id[4];

    for (int i = 0; i < 4; i++) {
        id[i] = store_submit_as(s, i < 3 ? "ada" : "ben", false);
        store_record_as(s, id[i], VERDICT_ACCEPTED, 100 + 10 * i);
    }
    store_close(s);
    back_to(f->path, 11);
    store_place_execute(f->path, "UPDATE submissions SET sizes = 'N=1' WHERE id = 1");
    s = store_place_open(f);
    store_check_board(s, MEANING_OF_BEFORE, (int64_t[]){id[0], id[3]}, 2);
    assert_int_equal(count_of_before(s), 1);
    assert_int_equal(store_adopt(s, &adoption, 1, &r), 0);
    assert_int_equal(count_of_before(s), 0);
    store_check_board(s, "today", (int64_t[]){id[1], id[3]}, 2);
    store_check_board(s, MEANING_UNKNOWN, (int64_t[]){id[0]}, 1);
    store_check_board(s, MEANING_OF_BEFORE, NULL, 0);
    assert_int_equal(store_get(s, id[2], &found, &sub, &r), 0);
    assert_string_equal(sub.meaning, "today");
    assert_false(sub.best);
    submission_free(&sub);
    store_close(s);
    s = store_place_open(f);
    store_check_board(s, "today", (int64_t[]){id[1], id[3]}, 2);
    store_close(s);
}

/* Entries of version 17 have no interval of their own; an entry that was put in by others
 * may have none either. */
static void
entries_have_their_submissions_intervals(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    int64_t id[3];

    for (int i = 0; i < 3; i++) { /* ada, ben and cem share the first rank, or not */
        id[i] = store_submit_as(s, (const char *[]){"ada", "ben", "cem"}[i], false);
        store_record_as(s, id[i], VERDICT_ACCEPTED, 100 + i * 1.9);
    }
    for (int round = 0; round < 3; round++) {
        struct ranking *g = store_ranking(s, &STORE_BOARD);
        const struct place second = ranking_place_of(g, 1),
                           third = ranking_place_of(g, 2);

        assert_true(ranking_entry(g, 1)->time.low_ns == (100 + 1.9) * 0.99);
        assert_true(ranking_entry(g, 1)->time.high_ns == (100 + 1.9) * 1.01);
        assert_int_equal(place_rank(&second), 1);
        assert_int_equal(place_rank(&third), 3);
        ranking_release(g);
        store_close(s);
        if (round == 0)
            back_to(f->path, 17);
        else
            store_place_execute(f->path,
                                "UPDATE entries SET low_ns = NULL, high_ns = NULL");
        s = store_place_open(f);
    }
    store_close(s);
}

/* A row as version 2 left it: its time becomes a point, and nothing is said of limits. */
static void
times_from_before_intervals_are_points(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct entries b;

    store_record_as(s, store_submit_as(s, "ada", false), VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 2);
    s = store_place_open(f);
    b = store_board_named(s, &OF_BEFORE);
    assert_int_equal(b.count, 1);
    assert_float_equal(b.entry[0].low_ns, 100, 0);
    assert_float_equal(b.entry[0].high_ns, 100, 0);
    assert_float_equal(b.entry[0].roofline_ns, 0, 0);
    assert_false(b.entry[0].review);
    assert_null(b.entry[0].remark);
    entries_free(&b);
    store_close(s);
}

/* A row as version 4 left it: everything else stays, and a new submission gets a seed. */
static void
submissions_from_before_seeds_have_none(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const int64_t old = store_submit_as(s, "ada", false);
    struct submission sub;
    struct report r = {0};
    bool found;
    int64_t young;

    store_record_as(s, old, VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 4);
    s = store_place_open(f);
    assert_int_equal(store_get(s, old, &found, &sub, &r), 0);
    assert_true(found && sub.best);
    assert_null(sub.result.seed);
    assert_float_equal(sub.result.timing.median_ns, 100, 0);
    submission_free(&sub);
    young = store_submit_as(s, "ben", false);
    store_record_as(s, young, VERDICT_ACCEPTED, 90);
    assert_int_equal(store_get(s, young, &found, &sub, &r), 0);
    assert_string_equal(sub.result.seed, "0a1b");
    submission_free(&sub);
    store_close(s);
}

/* A database of version 8: nothing in it was a profile. */
static void
submissions_from_before_profiles_are_none(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const int64_t old = store_submit_as(s, "ada", true);
    struct new_submission n = {.user = "ada",
                               .problem = "vec",
                               .device = "emu",
                               .board = "emu",
                               .filename = "v.cu",
                               .source = "x",
                               .sample_tests_only = true,
                               .profile = PROFILE_COSTS};
    struct submission sub;
    struct report r = {0};
    bool found;
    int64_t young;

    store_close(s);
    back_to(f->path, 8);
    s = store_place_open(f);
    assert_int_equal(store_get(s, old, &found, &sub, &r), 0);
    assert_true(found && sub.sample_tests_only);
    assert_int_equal(sub.profile, PROFILE_NONE);
    submission_free(&sub);
    assert_int_equal(store_submit(s, &n, &young, &r), 0);
    assert_int_equal(store_get(s, young, &found, &sub, &r), 0);
    assert_int_equal(sub.profile, PROFILE_COSTS);
    submission_free(&sub);
    store_close(s);
}

static void
record_use(struct store *s, int64_t id, int64_t device_ms)
{
    struct result res = {.verdict = VERDICT_RUNTIME_ERROR};
    struct finished_submission f = {.result = &res, .device_ms = device_ms};
    struct report r = {0};

    if (store_record(s, id, &f, &r) != 0)
        fail_msg("%s", r.text);
}

/* A database of version 7: what was judged there has used no device. */
static void
use_of_devices_is_counted_from_version_8_on(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct report r = {0};
    int64_t used = -1, full = -1;

    record_use(s, store_submit_as(s, "ada", false), 5000);
    store_record_as(s, store_submit_as(s, "ada", false), VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 7);
    s = store_place_open(f);
    assert_int_equal(store_device_use(s, "ada", 1, 0, &used, &full, &r), 0);
    assert_int_equal(used, 0);
    assert_int_equal(full, 0);
    record_use(s, store_submit_as(s, "ada", false), 700);
    record_use(s, store_submit_as(s, "ben", false), 9000);
    assert_int_equal(store_device_use(s, "ada", 701, 0, &used, &full, &r), 0);
    assert_int_equal(used, 700);
    assert_int_equal(full, 0);
    store_close(s);
}

/* A database of version 10: its accounts have no password yet, and get one. */
static void
accounts_from_before_passwords_get_one(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct account a, again;
    struct report r = {0};
    char *text = NULL;
    bool found = false;

    assert_int_equal(store_ensure_account(s, "ada", &a, &r), 0);
    assert_int_equal(store_set_password(s, a.id, "$lost", 0, &r), 0);
    store_close(s);
    back_to(f->path, 10);
    s = store_place_open(f);
    assert_int_equal(store_account(s, "ada", &found, &again, &r), 0);
    assert_true(found && again.id == a.id && again.state == ACCOUNT_ACTIVE);
    assert_int_equal(store_password(s, a.id, &text, &r), 0);
    assert_null(text);
    assert_int_equal(store_set_password(s, a.id, "$new", 0, &r), 0);
    assert_int_equal(store_password(s, a.id, &text, &r), 0);
    assert_string_equal(text, "$new");
    free(text);
    account_free(&again);
    account_free(&a);
    store_close(s);
}

/* A database of version 15: what its results changed is not known. The next one is
 * compared with the entry from before. */
static void
moves_are_kept_from_version_16_on(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const int64_t old = store_submit_as(s, "ada", false);
    struct report r = {0};
    struct move m;
    bool found = true;
    int64_t young;

    store_record_as(s, old, VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 15);
    s = store_place_open(f);
    assert_int_equal(store_move(s, old, &found, &m, &r), 0);
    assert_false(found);
    young = store_submit_as(s, "ada", false);
    store_record_as(s, young, VERDICT_ACCEPTED, 50);
    assert_int_equal(store_move(s, young, &found, &m, &r), 0);
    assert_true(found && m.improved);
    assert_int_equal(m.best, old);
    assert_int_equal(m.rank_before, 1);
    store_close(s);
}

/* A database of version 16: what was solved before is found. */
static void
what_was_solved_before_version_17_is_found(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct solved_entries list;
    struct report r = {0};
    int64_t number;

    store_record_as(s, store_submit_as(s, "ada", false), VERDICT_ACCEPTED, 100);
    store_record_as(s, store_submit_as(s, "ada", false), VERDICT_WRONG_ANSWER, 0);
    store_record_as(s, store_submit_as(s, "ada", true), VERDICT_ACCEPTED, 0);
    store_close(s);
    back_to(f->path, 16);
    s = store_place_open(f);
    assert_int_equal(store_solved(s, 1, STORE_BOARD.problem, &list, &r), 0);
    assert_int_equal(list.count, 1);
    assert_float_equal(list.row[0].time.time_ns, 100, 0);
    solved_entries_free(&list);
    assert_int_equal(store_accepted_between(s, 1, 0, INT64_MAX, 10, &number, &r), 0);
    assert_int_equal(number, 1);
    store_close(s);
}

/* There is room again when so much has become a day old that the rest is below the quota.
 */
static void
use_of_devices_says_when_there_is_room(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct report r = {0};
    int64_t used, full;

    for (int64_t id = 1; id <= 4; id++)
        record_use(s, store_submit_as(s, "ada", false), 100);
    store_close(s);
    store_place_execute(f->path,
                        "UPDATE submissions SET created_ms = id, finished_ms = 10 * id");
    s = store_place_open(f);
    for (int64_t most = 100; most <= 400; most += 100) {
        assert_int_equal(store_device_use(s, "ada", most, 0, &used, &full, &r), 0);
        assert_int_equal(used, 400);
        assert_int_equal(full, 10 * (5 - most / 100));
    }
    assert_int_equal(store_device_use(s, "ada", 300, 20, &used, &full, &r), 0);
    assert_int_equal(used, 200);
    assert_int_equal(full, 0);
    store_close(s);
}

/* A database of before the house had marks: its board stays, and gets a mark. */
static void
boards_from_before_marks_get_them(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    static char name[] = "1-naive.cu";
    const struct mark mark = {.filename = name, .sha256 = "ab", .time = {200, 190, 210}};
    const int64_t id = store_submit_as(s, "ada", false);
    struct marks marks;
    struct report r = {0};

    store_record_as(s, id, VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 18);
    s = store_place_open(f);
    store_check_board(s, STORE_BOARD.meaning, &id, 1);
    assert_int_equal(store_marks(s, &STORE_BOARD, &marks, &r), 0);
    assert_int_equal(marks.count, 0);
    assert_int_equal(store_set_mark(s, &STORE_BOARD, &mark, &r), 0);
    store_close(s);
    s = store_place_open(f);
    assert_int_equal(store_marks(s, &STORE_BOARD, &marks, &r), 0);
    assert_int_equal(marks.count, 1);
    assert_string_equal(marks.row[0].filename, name);
    marks_free(&marks);
    store_check_board(s, STORE_BOARD.meaning, &id, 1);
    store_close(s);
}

/* A database of before there were groups: its invitations lead to no group, and somebody
 * gets into a new one. */
static void
invitations_from_before_groups_are_good(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const struct new_invitation n = {.hash = "old", .name = "ada", .role = ROLE_MEMBER};
    const struct join j = {.name = "ada", .invitation = "old", .token = "t", .label = ""};
    struct enrolled row = {.user = "ben"};
    struct group_places places;
    struct account a;
    struct group g;
    enum join_result result;
    struct report r = {0};
    bool taken = true, found = false;
    size_t refused;

    assert_int_equal(store_invite(s, &n, &r), 0);
    store_close(s);
    back_to(f->path, 19);
    s = store_place_open(f);
    assert_int_equal(store_join(s, &j, &result, &a, &r), 0);
    assert_int_equal(result, JOIN_DONE);
    assert_int_equal(store_add_group(s, "physics", a.id, &taken, &r), 0);
    assert_false(taken);
    assert_int_equal(store_group(s, "physics", a.id, &found, &g, &r), 0);
    assert_true(found && g.standing == IN_GROUP_TEACHER);
    assert_int_equal(store_enrol(s, g.id, &row, 1, INT64_MAX, &refused, &r), 0);
    assert_int_equal(refused, 1);
    assert_int_equal(row.result, ENROL_INVITED);
    assert_int_equal(store_group_places(s, g.id, &places, &r), 0);
    assert_int_equal(places.count, 2);
    assert_string_equal(places.row[1].user, "ben");
    assert_true(places.row[1].reserved && !places.row[1].joined);
    group_places_free(&places);
    group_free(&g);
    account_free(&a);
    store_close(s);
}

/* A database of version 20: its group stays, and gets an assignment. */
static void
groups_from_before_assignments_get_them(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    static const char *const PROBLEMS[] = {"vector-addition", "reduction"};
    const struct new_assignment n = {.name = "week-1",
                                     .zone = "Europe/Berlin",
                                     .opens_ms = 1,
                                     .closes_ms = 2,
                                     .problem = PROBLEMS,
                                     .count = 2};
    struct assignments list;
    struct account a;
    struct group g;
    struct report r = {0};
    bool taken = true, found = false, full = true;

    assert_int_equal(store_ensure_account(s, "ada", &a, &r), 0);
    assert_int_equal(store_add_group(s, "physics", a.id, &taken, &r), 0);
    store_close(s);
    back_to(f->path, 20);
    s = store_place_open(f);
    assert_int_equal(store_group(s, "physics", a.id, &found, &g, &r), 0);
    assert_true(found);
    assert_int_equal(store_set_assignment(s, g.id, &n, &full, &r), 0);
    assert_false(full);
    assert_int_equal(store_extend(s, g.id, "week-1", a.id, 3, &found, &r), 0);
    assert_int_equal(store_assignments(s, g.id, a.id, &list, &r), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.row[0].until_ms, 3);
    assert_int_equal(list.row[0].count, 2);
    assert_string_equal(list.row[0].problem[1], "reduction");
    assignments_free(&list);
    assert_int_equal(store_delete_group(s, g.id, &r), 0);
    group_free(&g);
    account_free(&a);
    store_close(s);
}

/* A database of version 21: no digest of its submissions is known. */
static void
submissions_from_before_digests_have_none(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct equal_work w[EQUAL_KIND_COUNT];
    const int64_t id = store_submit_as(s, "ada", false);
    struct report r = {0};
    bool found = true;

    store_record_as(s, id, VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 21);
    s = store_place_open(f);
    assert_int_equal(store_equal_to(s, id, w, &r), 0);
    for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++) {
        assert_true(w[kind].digest.size == 0 && w[kind].count == 0);
        equal_work_free(&w[kind]);
    }
    assert_int_equal(store_equal_before(s, NULL, INT64_MAX, &found, w, &r), 0);
    assert_false(found);
    store_close(s);
}

/* A database of version 24: nothing is announced, and something can be. */
static void
databases_from_before_announcements_take_them(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct announcement a = {0};
    struct announcements list;
    struct report r = {0};
    bool full = true, found = false;

    assert_int_equal(store_announce(s, "is lost", &full, &a, &r), 0);
    free(a.text);
    store_close(s);
    back_to(f->path, 24);
    s = store_place_open(f);
    assert_int_equal(store_announcements(s, &list, &r), 0);
    assert_int_equal(list.count, 0);
    for (int i = 0; i <= ANNOUNCEMENTS_MAX; i++) {
        assert_int_equal(store_announce(s, i == 0 ? "first" : "later", &full, &a, &r), 0);
        assert_int_equal(full, i == ANNOUNCEMENTS_MAX);
        if (!full)
            free(a.text);
    }
    store_close(s);
    s = store_place_open(f);
    assert_int_equal(store_announcements(s, &list, &r), 0);
    assert_int_equal(list.count, ANNOUNCEMENTS_MAX);
    assert_string_equal(list.row[0].text, "later");
    assert_string_equal(list.row[ANNOUNCEMENTS_MAX - 1].text, "first");
    assert_int_equal(list.row[0].id, a.id);
    announcements_free(&list);
    assert_int_equal(store_drop_announcement(s, a.id, &found, &r), 0);
    assert_true(found);
    assert_int_equal(store_drop_announcement(s, a.id, &found, &r), 0);
    assert_false(found);
    store_close(s);
}

static int
mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return (int)(st.st_mode & 0777);
}

/* A database of before accounts: its names belong to nobody, its submissions and entries
 * stay, and others may not read it any more. */
static void
names_from_before_accounts_are_unclaimed(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct report r = {0};
    struct accounts list;
    struct entries b;
    bool any = true;

    assert_int_equal(mode_of(f->path), 0600);
    store_record_as(s, store_submit_as(s, "Ada", false), VERDICT_ACCEPTED, 100);
    store_record_as(s, store_submit_as(s, "ada", false), VERDICT_ACCEPTED, 90);
    store_submit_as(s, "ada", true);
    store_close(s);
    back_to(f->path, 5);
    assert_int_equal(chmod(f->path, 0644), 0);
    s = store_place_open(f);
    assert_int_equal(mode_of(f->path), 0600);
    assert_int_equal(store_accounts(s, "", "", INT64_MAX, &list, &r), 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.row[0].name, "Ada");
    assert_string_equal(list.row[1].name, "ada");
    assert_int_equal(list.row[1].submissions, 2);
    assert_int_equal(list.row[0].state, ACCOUNT_UNCLAIMED);
    assert_int_equal(list.row[0].role, ROLE_MEMBER);
    accounts_free(&list);
    assert_int_equal(store_has_account(s, ROLE_MEMBER, &any, &r), 0);
    assert_false(any);
    b = store_board_named(s, &OF_BEFORE);
    assert_int_equal(b.count, 2);
    entries_free(&b);
    store_close(s);
}

/* A backup of a database of before accounts is brought up to date, and itself stays as it
 * is. The database that was there keeps what was in it. */
static void
older_backups_are_restored(void **state)
{
    const struct store_place *f = *state;
    char *backup = xasprintf("%s/backup", f->folder), *aside = NULL;
    struct store *s = store_place_open(f);
    struct store_contents c = {0};
    struct report r = {0};
    struct submissions list;

    store_submit_as(s, "ada", false);
    assert_int_equal(store_backup(f->path, backup, &c, &r), 0);
    assert_int_equal(c.submissions, 1);
    assert_int_equal(mode_of(backup), 0600);
    store_submit_as(s, "ben", false);
    store_close(s);
    back_to(backup, 5);
    assert_int_equal(store_restore(backup, f->path, &aside, &c, &r), 0);
    assert_int_equal(c.waiting, 1);
    assert_int_equal(mode_of(f->path), 0600);
    s = store_place_open(f);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.row[0].user, "ada");
    submissions_free(&list);
    store_close(s);
    assert_int_equal(store_open(aside, &s, &r), 0);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 2);
    submissions_free(&list);
    store_close(s);
    free(aside);
    assert_int_equal(store_open_to_read(backup, &s, &r), -1);
    assert_non_null(strstr(r.text, "older"));
    free(backup);
}

/* Where the old database is damaged, its bytes are kept, and its log is not applied to
 * the new one. */
static void
damaged_database_is_replaced_whole(void **state)
{
    const struct store_place *f = *state;
    char *backup = xasprintf("%s/backup", f->folder), *aside = NULL, *log;
    struct store *s = store_place_open(f);
    struct store_contents c = {0};
    struct report r = {0};
    struct buf noise = {0}, kept = {0};

    store_submit_as(s, "ada", false);
    assert_int_equal(store_backup(f->path, backup, &c, &r), 0);
    store_close(s);
    for (int i = 0; i < 1000; i++)
        buf_puts(&noise, "this is no database. ");
    assert_int_equal(file_write(f->path, noise.data, noise.len, &r), 0);
    log = xasprintf("%s-wal", f->path);
    assert_int_equal(file_write(log, noise.data, noise.len, &r), 0);
    assert_int_equal(store_restore(backup, f->path, &aside, &c, &r), 0);
    assert_int_not_equal(access(log, F_OK), 0);
    s = store_place_open(f);
    store_close(s);
    assert_int_equal(file_read(aside, 1 << 20, &kept, &r), 0);
    assert_int_equal(kept.len, noise.len);
    assert_memory_equal(kept.data, noise.data, noise.len);
    buf_free(&kept);
    buf_free(&noise);
    free(log);
    free(aside);
    free(backup);
}

/* Results of version 25 have their conditions, on two days and of two GPUs. */
static void
calibrations_of_before_are_counted_by_days(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct calibrated_gpu g;
    struct report r = {0};
    bool found;

    for (int i = 0; i < 5; i++)
        store_record_as(s, store_submit_as(s, "ada", false), VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 25);
    store_place_execute(
        f->path, "UPDATE submissions SET finished_ms = 86400000 * (20000 + id / 3),"
                 " device = 'cuda:0', board = 'NVIDIA H200', conditions = CASE id"
                 " WHEN 5 THEN 'damaged' ELSE json_object('gpu', CASE id WHEN 4 THEN"
                 " 'GPU-b' ELSE 'GPU-a' END, 'before', json_object('copy_gbs', 4000 + id,"
                 " 'read_gbs', 4100, 'fp32_tflops', 60.5), 'after', json_object("
                 "'copy_gbs', 4010.5, 'read_gbs', 4100, 'fp32_tflops', 60.5)) END");
    s = store_place_open(f);
    assert_int_equal(store_next_calibrated(s, "", 0, &found, &g, &r), 0);
    assert_true(found);
    assert_string_equal(g.gpu, "GPU-a");
    assert_string_equal(g.board, "NVIDIA H200");
    assert_string_equal(g.device, "cuda:0");
    assert_int_equal(g.measured_ms, 20001 * CALIBRATION_DAY_MS);
    assert_int_equal(g.count, 2);
    assert_int_equal(g.day[0].day, 20000);
    assert_int_equal(g.day[0].count, 4);
    assert_float_equal(g.day[0].figure[CALIBRATION_COPY].low, 4001, 0);
    assert_float_equal(g.day[0].figure[CALIBRATION_COPY].high, 4010.5, 0);
    assert_float_equal(g.day[0].figure[CALIBRATION_COPY].mean, 4006, 1e-9);
    assert_int_equal(g.day[1].count, 2);
    calibrated_gpu_free(&g);
    assert_int_equal(store_next_calibrated(s, "GPU-a", 0, &found, &g, &r), 0);
    assert_true(found && strcmp(g.gpu, "GPU-b") == 0);
    calibrated_gpu_free(&g);
    store_close(s);
}

/* Stores what is graded in bulk; its number. */
static int64_t
grade_as(struct store *s, const char *user)
{
    const struct new_submission n = {.user = user,
                                     .problem = STORE_BOARD.problem,
                                     .device = "emu",
                                     .board = "emu",
                                     .filename = "k.cu",
                                     .source = "int g;",
                                     .sample_tests_only = true,
                                     .profile = PROFILE_GRADE};
    struct report r = {0};
    int64_t id;

    assert_int_equal(store_submit(s, &n, &id, &r), 0);
    return id;
}

/* A list of what was not graded in bulk has exactly these, of which a page has two. */
static void
check_listed(struct store *s, const char *user, const char *problem,
             const int64_t *expected, int count)
{
    int64_t before = INT64_MAX;
    struct report r = {0};
    int seen = 0;

    while (before > 0) {
        struct submissions list;
        int64_t last;

        assert_int_equal(store_list_end(s, user, problem, false, before, 2, &last, &r),
                         0);
        assert_int_equal(store_list(s, user, problem, false, before, 2, &list, &r), 0);
        for (size_t i = 0; i < list.count; i++) {
            assert_true(seen < count);
            assert_int_equal(list.row[i].id, expected[seen++]);
        }
        if (last != 0)
            assert_int_equal(last, list.row[list.count - 1].id);
        submissions_free(&list);
        before = last;
    }
    assert_int_equal(seen, count);
}

/* A database of version 28: a list has what was there before the upgrade and what came
 * after it, also once a submission was assigned to another or has gone. A program of that
 * version may have graded in bulk. */
static void
lists_go_on_from_before_version_29(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct account from, to;
    struct report r = {0};
    bool found, tried;

    store_submit_as(s, "ada", false); /* 1 */
    store_submit_as(s, "ben", false); /* 2 */
    grade_as(s, "ada");               /* 3 */
    grade_as(s, "cai");               /* 4 */
    store_submit_as(s, "ada", false); /* 5 */
    store_close(s);
    back_to(f->path, 28);
    s = store_place_open(f);
    store_submit_as(s, "ben", false); /* 6 */
    grade_as(s, "ada");               /* 7 */
    store_submit_as(s, "ada", false); /* 8 */
    for (int i = 0; i < 2; i++) {
        const char *problem = i == 0 ? NULL : STORE_BOARD.problem;

        check_listed(s, NULL, problem, (const int64_t[]){8, 6, 5, 2, 1}, 5);
        check_listed(s, "ada", problem, (const int64_t[]){8, 5, 1}, 3);
        check_listed(s, "ben", problem, (const int64_t[]){6, 2}, 2);
        check_listed(s, "cai", problem, NULL, 0);
    }
    check_listed(s, NULL, "another", NULL, 0);
    for (int64_t user = 1; user <= 3; user++) {
        assert_int_equal(store_has_tried(s, user, STORE_BOARD.problem, &tried, &r), 0);
        assert_int_equal(tried, user < 3);
    }
    assert_int_equal(store_unclaimed(s, "ben", &found, &from, &r), 0);
    assert_true(found);
    assert_int_equal(store_unclaimed(s, "cai", &found, &to, &r), 0);
    assert_true(found);
    assert_int_equal(store_assign(s, from.id, to.id, &r), 0);
    account_free(&from);
    account_free(&to);
    check_listed(s, "cai", NULL, (const int64_t[]){6, 2}, 2);
    store_record_as(s, 6, VERDICT_WRONG_ANSWER, 0);
    store_record_as(s, 2, VERDICT_WRONG_ANSWER, 0);
    assert_int_equal(store_delete_submission(s, 6, &r), 0);
    check_listed(s, "cai", STORE_BOARD.problem, (const int64_t[]){2}, 1);
    assert_int_equal(store_delete_submission(s, 2, &r), 0);
    check_listed(s, NULL, NULL, (const int64_t[]){8, 5, 1}, 3);
    store_close(s);
}

/* Workers of a token of version 30 may go on as what they are, and a token of another
 * scope gets no role. */
static void
tokens_from_before_roles_are_for_both(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct new_token n = {.hash = "w", .label = "w", .scopes = SCOPE_WORKER};
    struct account a;
    struct token token;
    struct report r = {0};
    int64_t id;
    bool found;

    assert_int_equal(store_ensure_account(s, "ada", &a, &r), 0);
    n.account = a.id;
    account_free(&a);
    assert_int_equal(store_add_token(s, &n, &id, &r), 0);
    n.hash = "r";
    n.scopes = SCOPES_ALL;
    assert_int_equal(store_add_token(s, &n, &id, &r), 0);
    store_close(s);
    back_to(f->path, 30);
    s = store_place_open(f);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(store_token(s, i == 0 ? "w" : "r", &found, &token, &a, &r), 0);
        assert_true(found);
        assert_int_equal(token.worker_roles, i == 0 ? TOKEN_WORKS : 0);
        token_free(&token);
        account_free(&a);
    }
    store_close(s);
}

/* How many submissions the list of accounts says that somebody has. */
static int64_t
submissions_of(struct store *s, const char *user)
{
    struct accounts list;
    struct report r = {0};
    int64_t count;

    assert_int_equal(store_accounts(s, "", user, 2, &list, &r), 0);
    assert_int_equal(list.count, 1);
    count = list.row[0].submissions;
    accounts_free(&list);
    return count;
}

/* A database of version 31: submissions of before are counted, and those that come, go or
 * are assigned to another after that. */
static void
submissions_are_counted_from_before_version_32(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct account from, to;
    struct report r = {0};
    bool found;

    for (int i = 0; i < 3; i++)
        store_submit_as(s, "ada", false); /* 1 to 3 */
    store_submit_as(s, "ben", true);      /* 4 */
    store_close(s);
    back_to(f->path, 31);
    s = store_place_open(f);
    assert_int_equal(submissions_of(s, "ada"), 3);
    assert_int_equal(submissions_of(s, "ben"), 1);
    store_submit_as(s, "cai", false); /* 5 */
    store_submit_as(s, "ben", false); /* 6 */
    assert_int_equal(submissions_of(s, "ben"), 2);
    assert_int_equal(submissions_of(s, "cai"), 1);
    store_record_as(s, 2, VERDICT_WRONG_ANSWER, 0);
    assert_int_equal(store_delete_submission(s, 2, &r), 0);
    assert_int_equal(submissions_of(s, "ada"), 2);
    assert_int_equal(store_unclaimed(s, "ben", &found, &from, &r), 0);
    assert_true(found);
    assert_int_equal(store_unclaimed(s, "cai", &found, &to, &r), 0);
    assert_true(found);
    assert_int_equal(store_assign(s, from.id, to.id, &r), 0);
    assert_int_equal(submissions_of(s, "cai"), 3);
    account_free(&from);
    account_free(&to);
    store_submit_as(s, "ben", false);
    assert_int_equal(submissions_of(s, "ben"), 1);
    assert_int_equal(submissions_of(s, "cai"), 3);
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, store_place_make, store_place_remove)
        T(results_of_before_are_told_apart_by_their_sizes),
        T(entries_have_their_submissions_intervals),
        T(times_from_before_intervals_are_points),
        T(use_of_devices_is_counted_from_version_8_on),
        T(accounts_from_before_passwords_get_one),
        T(use_of_devices_says_when_there_is_room),
        T(moves_are_kept_from_version_16_on),
        T(what_was_solved_before_version_17_is_found),
        T(submissions_from_before_seeds_have_none),
        T(submissions_from_before_profiles_are_none),
        T(names_from_before_accounts_are_unclaimed),
        T(boards_from_before_marks_get_them),
        T(invitations_from_before_groups_are_good),
        T(groups_from_before_assignments_get_them),
        T(submissions_from_before_digests_have_none),
        T(databases_from_before_announcements_take_them),
        T(calibrations_of_before_are_counted_by_days),
        T(lists_go_on_from_before_version_29),
        T(tokens_from_before_roles_are_for_both),
        T(submissions_are_counted_from_before_version_32),
        T(older_backups_are_restored),
        T(damaged_database_is_replaced_whole),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
