// links: common
/* The database: made, refused, written once, read back. Each test has a folder of its
 * own. */
#include "base/file.h"
#include "record/accounts.h"
#include "record/rank.h"
#include "record/ranking.h"
#include "record/store.h"
#include "record/store_copy.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char folder[64];
    char path[96];
};

static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof *f);

    snprintf(f->folder, sizeof f->folder, "/tmp/warpjudge-store-XXXXXX");
    if (mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/leaderboard.db", f->folder);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;
    int rc = file_remove_tree(f->folder, NULL);

    free(f);
    return rc;
}

static struct store *
open_store(const struct fixture *f)
{
    struct report r = {0};
    struct store *s = NULL;

    if (store_open(f->path, &s, &r) != 0)
        fail_msg("%s", r.text);
    return s;
}

static void
assert_refused(const char *path, const char *words)
{
    struct report r = {0};
    struct store *s = NULL;

    assert_int_equal(store_open(path, &s, &r), -1);
    assert_null(s);
    if (strstr(r.text, words) == NULL || strstr(r.text, path) == NULL)
        fail_msg("\"%s\" does not say \"%s\" and \"%s\"", r.text, path, words);
}

static int64_t
submit_as(struct store *s, const char *user, bool sample_tests_only)
{
    const struct new_submission n = {.user = user,
                                     .problem = "vector-addition",
                                     .device = "emu",
                                     .board = "emu",
                                     .filename = "a.cu",
                                     .source = "extern \"C\" void solve() {}",
                                     .sample_tests_only = sample_tests_only};
    struct report r = {0};
    int64_t id = 0;

    if (store_submit(s, &n, &id, &r) != 0)
        fail_msg("%s", r.text);
    return id;
}

static void
record_as(struct store *s, int64_t id, enum verdict verdict, double time_ns)
{
    static char sizes[] = "N=4", message[] = "words", detail[] = "A = 1";
    static char roofline_by[] = "memory", remark[] = "busy", conditions[] = "{}";
    static char seed[] = "0a1b";
    double samples[] = {time_ns, time_ns + 1};
    struct test_result tests[] = {{1, VERDICT_ACCEPTED, sizes, detail},
                                  {2, verdict, sizes, NULL}};
    struct result res = {.verdict = verdict,
                         .message = message,
                         .test_count = 2,
                         .test = tests,
                         .seed = seed};
    struct finished_submission f = {
        .result = &res, .compile_seconds = 0.5, .compile_cached = true};
    struct report r = {0};

    if (time_ns > 0)
        res.timing = (struct timing){.present = true,
                                     .modelled = true,
                                     .warmup = 3,
                                     .sample_count = 2,
                                     .sample_ns = samples,
                                     .median_ns = time_ns,
                                     .q1_ns = time_ns,
                                     .q3_ns = time_ns,
                                     .low_ns = time_ns * 0.99,
                                     .high_ns = time_ns * 1.01,
                                     .roofline_ns = time_ns / 2,
                                     .roofline_by = roofline_by,
                                     .review = true,
                                     .remark = remark,
                                     .conditions = conditions,
                                     .work_bytes = 48,
                                     .sizes = sizes};
    if (store_record(s, id, &f, &r) != 0)
        fail_msg("%s", r.text);
}

static struct entries
board_of(struct store *s)
{
    struct entries b = {0};
    struct report r = {0};

    struct ranking *g = store_ranking(s, "vector-addition", "emu");

    if (store_entries(s, g, 0, 1000, &b, &r) != 0)
        fail_msg("%s", r.text);
    ranking_release(g);
    return b;
}

static void
made_from_nothing_and_opened_again(void **state)
{
    struct store *s = open_store(*state);
    int64_t id = submit_as(s, "ada", false);
    struct submissions list;
    struct report r = {0};

    store_close(s);
    s = open_store(*state);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.row[0].id, id);
    assert_string_equal(list.row[0].user, "ada");
    submissions_free(&list);
    store_close(s);
}

static void
execute(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void
newer_version_is_refused(void **state)
{
    const struct fixture *f = *state;

    store_close(open_store(f));
    execute(f->path, "PRAGMA user_version = 1000");
    assert_refused(f->path, "newer warpjudge");
}

static void
strangers_database_is_refused(void **state)
{
    const struct fixture *f = *state;

    execute(f->path, "CREATE TABLE users (name TEXT)");
    assert_refused(f->path, "another program");
}

static void
noise_is_refused_and_kept(void **state)
{
    const struct fixture *f = *state;
    struct buf after = {0};
    char noise[8192];

    memset(noise, 'x', sizeof noise);
    assert_int_equal(file_write(f->path, noise, sizeof noise, NULL), 0);
    assert_refused(f->path, "damaged");
    assert_int_equal(file_read(f->path, sizeof noise, &after, NULL), 0);
    assert_memory_equal(after.data, noise, sizeof noise);
    buf_free(&after);
}

/* Pages in the middle overwritten: the header is whole, so only the check finds it. */
static void
damaged_page_is_refused(void **state)
{
    const struct fixture *f = *state;
    char zeros[4096];
    int fd;

    memset(zeros, 0x5a, sizeof zeros);
    store_close(open_store(f));
    fd = open(f->path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, zeros, sizeof zeros, 2 * 4096), sizeof zeros);
    close(fd);
    assert_refused(f->path, "damaged");
}

static void
unwritable_place_is_refused(void **state)
{
    const struct fixture *f = *state;
    char path[160];

    snprintf(path, sizeof path, "%s/nowhere/leaderboard.db", f->folder);
    assert_refused(path, "cannot be opened for writing");
    assert_refused(f->folder, "cannot be opened for writing");
}

static void
everything_reads_back(void **state)
{
    struct store *s = open_store(*state);
    int64_t id = submit_as(s, "ada", false);
    struct submission sub;
    struct report r = {0};
    struct buf source = {0};
    bool found = false;

    record_as(s, id, VERDICT_ACCEPTED, 100);
    assert_int_equal(store_get(s, id, &found, &sub, &r), 0);
    assert_true(found && sub.done && sub.best && sub.compile_cached);
    assert_int_equal(sub.result.verdict, VERDICT_ACCEPTED);
    assert_string_equal(sub.result.message, "words");
    assert_string_equal(sub.board, "emu");
    assert_int_equal(sub.result.test_count, 2);
    assert_string_equal(sub.result.test[0].detail, "A = 1");
    assert_null(sub.result.test[1].detail);
    assert_int_equal(sub.result.timing.sample_count, 2);
    assert_float_equal(sub.result.timing.sample_ns[1], 101, 0);
    assert_int_equal(sub.result.timing.warmup, 3);
    assert_float_equal(sub.result.timing.work_bytes, 48, 0);
    assert_float_equal(sub.result.timing.low_ns, 99, 1e-9);
    assert_float_equal(sub.result.timing.high_ns, 101, 1e-9);
    assert_float_equal(sub.result.timing.roofline_ns, 50, 0);
    assert_string_equal(sub.result.timing.roofline_by, "memory");
    assert_true(sub.result.timing.review);
    assert_string_equal(sub.result.timing.remark, "busy");
    assert_string_equal(sub.result.timing.conditions, "{}");
    assert_string_equal(sub.result.seed, "0a1b");
    submission_free(&sub);
    assert_int_equal(store_source(s, id, &found, &source, &r), 0);
    assert_string_equal(buf_str(&source), "extern \"C\" void solve() {}");
    buf_free(&source);
    assert_int_equal(store_get(s, id + 1, &found, &sub, &r), 0);
    assert_false(found);
    store_close(s);
}

static void
recorded_twice_counts_once(void **state)
{
    struct store *s = open_store(*state);
    int64_t id = submit_as(s, "ada", false);
    struct submission sub;
    struct report r = {0};
    bool found;
    struct entries b;

    record_as(s, id, VERDICT_ACCEPTED, 100);
    record_as(s, id, VERDICT_ACCEPTED, 50);
    record_as(s, id, VERDICT_WRONG_ANSWER, 0);
    assert_int_equal(store_get(s, id, &found, &sub, &r), 0);
    assert_int_equal(sub.result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(sub.result.test_count, 2);
    submission_free(&sub);
    b = board_of(s);
    assert_int_equal(b.count, 1);
    assert_float_equal(b.entry[0].time_ns, 100, 0);
    entries_free(&b);
    store_close(s);
}

static void
board_keeps_each_users_best(void **state)
{
    struct store *s = open_store(*state);
    const struct measured slow = {200, 190, 210}, fast = {101, 100.5, 102};
    struct place place;
    double own_ns = -1;
    struct report r = {0};
    int64_t best, slower;
    struct entries b;

    record_as(s, submit_as(s, "ada", false), VERDICT_ACCEPTED, 300);
    best = submit_as(s, "ada", false);
    record_as(s, best, VERDICT_ACCEPTED, 100);
    slower = submit_as(s, "ada", false);
    record_as(s, slower, VERDICT_ACCEPTED, 200);
    record_as(s, submit_as(s, "bob", false), VERDICT_ACCEPTED, 150);
    record_as(s, submit_as(s, "eve", false), VERDICT_WRONG_ANSWER, 0);
    record_as(s, submit_as(s, "eve", true), VERDICT_ACCEPTED, 0);
    record_as(s, submit_as(s, "eve", true), VERDICT_ACCEPTED,
              10); /* a `run` is unranked */
    b = board_of(s);
    assert_int_equal(b.count, 2);
    assert_string_equal(b.entry[0].user, "ada");
    assert_int_equal(b.entry[0].submission, best);
    assert_float_equal(b.entry[0].time_ns, 100, 0);
    assert_string_equal(b.entry[1].user, "bob");
    entries_free(&b);
    assert_int_equal(
        store_place(s, "vector-addition", "emu", "ada", &slow, &place, &own_ns, &r), 0);
    assert_int_equal(place.faster, 1);
    assert_int_equal(place.ties + place.slower, 0);
    assert_float_equal(own_ns, 100, 0);
    assert_int_equal(
        store_place(s, "vector-addition", "emu", "nobody", &fast, &place, &own_ns, &r),
        0);
    assert_int_equal(place.faster, 0);
    assert_int_equal(place.ties, 1);
    assert_int_equal(place.slower, 1);
    assert_float_equal(own_ns, 0, 0);
    store_close(s);
}

static void
attempt_is_remembered_while_queued(void **state)
{
    struct store *s = open_store(*state);
    int64_t id = submit_as(s, "ada", false);
    struct submissions list;
    struct report r = {0};

    assert_int_equal(store_set_attempt(s, id, 2, &r), 0);
    store_close(s);
    s = open_store(*state);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.row[0].attempt, 2);
    submissions_free(&list);
    record_as(s, id, VERDICT_JUDGE_ERROR, 0);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 0);
    submissions_free(&list);
    store_close(s);
}

/* A process that submits and records without end, killed in the middle, again and again:
 * what it said is stored is there, and never half a result. */
static void
survives_kills(void **state)
{
    const struct fixture *f = *state;
    struct store *s;
    struct submissions list;
    struct report r = {0};
    int64_t told = 0;

    store_close(open_store(f));
    for (int round = 0; round < 8; round++) {
        int fds[2];
        int64_t id;
        pid_t pid;

        assert_int_equal(pipe(fds), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            s = open_store(f);
            for (;;) {
                id = submit_as(s, "ada", false);
                if (write(fds[1], &id, sizeof id) != sizeof id)
                    _exit(1);
                record_as(s, id, VERDICT_ACCEPTED, 1e9 - (double)id);
            }
        }
        close(fds[1]);
        assert_int_equal(read(fds[0], &told, sizeof told), sizeof told);
        usleep((useconds_t)(1000 + 3700 * round));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        while (read(fds[0], &id, sizeof id) == sizeof id)
            told = id;
        close(fds[0]);
    }
    s = open_store(f);
    assert_int_equal(store_list(s, "ada", NULL, INT64_MAX, 100000, &list, &r), 0);
    assert_true(list.count >= (size_t)told && list.row[0].id >= told);
    for (size_t i = 0; i < list.count; i++) {
        struct submission sub;
        bool found;

        assert_int_equal(store_get(s, list.row[i].id, &found, &sub, &r), 0);
        assert_int_equal(sub.result.test_count, sub.done ? 2 : 0);
        assert_int_equal(sub.result.timing.sample_count, sub.done ? 2 : 0);
        submission_free(&sub);
    }
    submissions_free(&list);
    store_close(s);
}

/* Takes a database of today back to an older version. Each step undoes one migration, the
 * youngest first. */
static void
back_to(const char *path, int version)
{
    static const struct {
        int version; /* from which the migration led on */
        const char *sql;
    } UNDO[] = {
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
            execute(path, UNDO[i].sql);
    execute(path, pragma);
    free(pragma);
}

/* A row as version 2 left it: its time becomes a point, and nothing is said of limits. */
static void
times_from_before_intervals_are_points(void **state)
{
    const struct fixture *f = *state;
    struct store *s = open_store(f);
    struct entries b;

    record_as(s, submit_as(s, "ada", false), VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 2);
    s = open_store(f);
    b = board_of(s);
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
    const struct fixture *f = *state;
    struct store *s = open_store(f);
    const int64_t old = submit_as(s, "ada", false);
    struct submission sub;
    struct report r = {0};
    bool found;
    int64_t young;

    record_as(s, old, VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 4);
    s = open_store(f);
    assert_int_equal(store_get(s, old, &found, &sub, &r), 0);
    assert_true(found && sub.best);
    assert_null(sub.result.seed);
    assert_float_equal(sub.result.timing.median_ns, 100, 0);
    submission_free(&sub);
    young = submit_as(s, "ben", false);
    record_as(s, young, VERDICT_ACCEPTED, 90);
    assert_int_equal(store_get(s, young, &found, &sub, &r), 0);
    assert_string_equal(sub.result.seed, "0a1b");
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
    const struct fixture *f = *state;
    struct store *s = open_store(f);
    struct report r = {0};
    int64_t used = -1, full = -1;

    record_use(s, submit_as(s, "ada", false), 5000);
    record_as(s, submit_as(s, "ada", false), VERDICT_ACCEPTED, 100);
    store_close(s);
    back_to(f->path, 7);
    s = open_store(f);
    assert_int_equal(store_device_use(s, "ada", 1, 0, &used, &full, &r), 0);
    assert_int_equal(used, 0);
    assert_int_equal(full, 0);
    record_use(s, submit_as(s, "ada", false), 700);
    record_use(s, submit_as(s, "ben", false), 9000);
    assert_int_equal(store_device_use(s, "ada", 701, 0, &used, &full, &r), 0);
    assert_int_equal(used, 700);
    assert_int_equal(full, 0);
    store_close(s);
}

/* There is room again when so much has become a day old that the rest is below the quota.
 */
static void
use_of_devices_says_when_there_is_room(void **state)
{
    const struct fixture *f = *state;
    struct store *s = open_store(f);
    struct report r = {0};
    int64_t used, full;

    for (int64_t id = 1; id <= 4; id++)
        record_use(s, submit_as(s, "ada", false), 100);
    store_close(s);
    execute(f->path, "UPDATE submissions SET created_ms = id, finished_ms = 10 * id");
    s = open_store(f);
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
    const struct fixture *f = *state;
    struct store *s = open_store(f);
    struct report r = {0};
    struct accounts list;
    struct entries b;
    bool any = true;

    assert_int_equal(mode_of(f->path), 0600);
    record_as(s, submit_as(s, "Ada", false), VERDICT_ACCEPTED, 100);
    record_as(s, submit_as(s, "ada", false), VERDICT_ACCEPTED, 90);
    submit_as(s, "ada", true);
    store_close(s);
    back_to(f->path, 5);
    assert_int_equal(chmod(f->path, 0644), 0);
    s = open_store(f);
    assert_int_equal(mode_of(f->path), 0600);
    assert_int_equal(store_accounts(s, &list, &r), 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.row[0].name, "Ada");
    assert_string_equal(list.row[1].name, "ada");
    assert_int_equal(list.row[1].submissions, 2);
    assert_int_equal(list.row[0].state, ACCOUNT_UNCLAIMED);
    assert_int_equal(list.row[0].role, ROLE_MEMBER);
    accounts_free(&list);
    assert_int_equal(store_has_account(s, ROLE_MEMBER, &any, &r), 0);
    assert_false(any);
    b = board_of(s);
    assert_int_equal(b.count, 2);
    entries_free(&b);
    store_close(s);
}

/* A backup of a database of before accounts is brought up to date, and itself stays as it
 * is. The database that was there keeps what was in it. */
static void
older_backups_are_restored(void **state)
{
    const struct fixture *f = *state;
    char *backup = xasprintf("%s/backup", f->folder), *aside = NULL;
    struct store *s = open_store(f);
    struct store_contents c = {0};
    struct report r = {0};
    struct submissions list;

    submit_as(s, "ada", false);
    assert_int_equal(store_backup(f->path, backup, &c, &r), 0);
    assert_int_equal(c.submissions, 1);
    assert_int_equal(mode_of(backup), 0600);
    submit_as(s, "ben", false);
    store_close(s);
    back_to(backup, 5);
    assert_int_equal(store_restore(backup, f->path, &aside, &c, &r), 0);
    assert_int_equal(c.waiting, 1);
    assert_int_equal(mode_of(f->path), 0600);
    s = open_store(f);
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
    const struct fixture *f = *state;
    char *backup = xasprintf("%s/backup", f->folder), *aside = NULL, *log;
    struct store *s = open_store(f);
    struct store_contents c = {0};
    struct report r = {0};
    struct buf noise = {0}, kept = {0};

    submit_as(s, "ada", false);
    assert_int_equal(store_backup(f->path, backup, &c, &r), 0);
    store_close(s);
    for (int i = 0; i < 1000; i++)
        buf_puts(&noise, "this is no database. ");
    assert_int_equal(file_write(f->path, noise.data, noise.len, &r), 0);
    log = xasprintf("%s-wal", f->path);
    assert_int_equal(file_write(log, noise.data, noise.len, &r), 0);
    assert_int_equal(store_restore(backup, f->path, &aside, &c, &r), 0);
    assert_int_not_equal(access(log, F_OK), 0);
    s = open_store(f);
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(made_from_nothing_and_opened_again),
        T(newer_version_is_refused),
        T(strangers_database_is_refused),
        T(times_from_before_intervals_are_points),
        T(use_of_devices_is_counted_from_version_8_on),
        T(use_of_devices_says_when_there_is_room),
        T(noise_is_refused_and_kept),
        T(damaged_page_is_refused),
        T(unwritable_place_is_refused),
        T(everything_reads_back),
        T(recorded_twice_counts_once),
        T(board_keeps_each_users_best),
        T(attempt_is_remembered_while_queued),
        T(survives_kills),
        T(submissions_from_before_seeds_have_none),
        T(names_from_before_accounts_are_unclaimed),
        T(older_backups_are_restored),
        T(damaged_database_is_replaced_whole),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
