// links: common store_place
/* Whatever interrupts the deletion of an account or a submission, all of it has happened
 * or nothing. SQLite counts the steps of its statements, and the test fails the deletion,
 * or kills its process, at each of them in turn. */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "record/accounts.h"
#include "record/replace.h"
#include "record/store_statements.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define STRIDE 3      /* steps from one interruption to the next */
#define KILL_EVERY 60 /* steps: a process for each takes longer than a failure */

/* Everything that can hang on account 1. */
static const char HANGING[] =
    "INSERT INTO tokens (user_id, hash, label, scopes, created_ms, expires_ms)"
    " VALUES (1, 't1', '', 1, 1, 1), (1, 't2', '', 1, 1, 1);"
    "UPDATE tokens SET parent_id = 1 WHERE id = 2;"
    "INSERT INTO passwords VALUES (1, 'p', 1);"
    "INSERT INTO sessions (user_id, hash, label, created_ms, used_ms, expires_ms)"
    " VALUES (1, 's', '', 1, 1, 1);"
    "INSERT INTO resets VALUES (1, 'r', 1);"
    "INSERT INTO invitations (hash, name, role, created_ms, expires_ms)"
    " VALUES ('i', 'ADA', 'member', 1, 1);"
    "INSERT INTO groups (name, created_ms) VALUES ('physics', 1);"
    "INSERT INTO group_places (group_id, user_id, teacher, joined, since_ms)"
    " VALUES (1, 1, 0, 1, 1);"
    "INSERT INTO assignments (group_id, name, zone, opens_ms, closes_ms)"
    " VALUES (1, 'week', 'UTC', 1, 2);"
    "INSERT INTO extensions VALUES (1, 1, 3);";

/* How many rows of account 1 are left of these. */
static const char LEFT[] =
    "SELECT (SELECT count(*) FROM tokens WHERE user_id = 1)"
    " + (SELECT count(*) FROM passwords WHERE user_id = 1)"
    " + (SELECT count(*) FROM sessions WHERE user_id = 1)"
    " + (SELECT count(*) FROM resets WHERE user_id = 1)"
    " + (SELECT count(*) FROM group_places WHERE user_id = 1)"
    " + (SELECT count(*) FROM extensions WHERE user_id = 1)"
    " + (SELECT count(*) FROM invitations WHERE name = 'ada' COLLATE NOCASE)";

/* How many rows are left of submission 1. */
static const char LEFT_OF_SUBMISSION[] =
    "SELECT (SELECT count(*) FROM submissions WHERE id = 1)"
    " + (SELECT count(*) FROM tests WHERE submission_id = 1)"
    " + (SELECT count(*) FROM samples WHERE submission_id = 1)"
    " + (SELECT count(*) FROM entries WHERE submission_id = 1)"
    " + (SELECT count(*) FROM moves WHERE submission_id = 1)";

/* --- what is in a database ------------------------------------------------ */

static void
add_rows(struct buf *out, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(st); i++) {
            const unsigned char *text = sqlite3_column_text(st, i);

            buf_printf(out, "%s;", text != NULL ? (const char *)text : "NULL");
        }
    sqlite3_finalize(st);
}

/* All rows of all tables. The caller frees it. */
static char *
all_rows(struct store *s)
{
    struct buf tables = {0}, out = {0};
    char *rest, *name;

    add_rows(&tables, s->db, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    rest = (char *)(uintptr_t)buf_str(&tables);
    while ((name = strsep(&rest, ";")) != NULL && *name != '\0') {
        char *sql = xasprintf("SELECT '%s', * FROM %s", name, name);

        add_rows(&out, s->db, sql);
        free(sql);
    }
    buf_free(&tables);
    return buf_take(&out);
}

static bool
is_unchanged(struct store *s, const char *before)
{
    char *now = all_rows(s);
    const bool same = strcmp(now, before) == 0;

    free(now);
    return same;
}

static void
check_rows(struct store *s, const char *sql, const char *wanted)
{
    struct buf out = {0};

    add_rows(&out, s->db, sql);
    assert_string_equal(buf_str(&out), wanted);
    buf_free(&out);
}

/* --- interruptions -------------------------------------------------------- */

typedef int deletion(struct store *s, struct report *r);

static int
delete_ada(struct store *s, struct report *r)
{
    struct account a;
    char *name = NULL;
    bool found = false;
    int rc = store_account(s, "ada", &found, &a, r);

    if (rc != 0)
        return rc;
    assert_true(found);
    rc = store_delete_account(s, &a, &name, r);
    free(name);
    account_free(&a);
    return rc;
}

static int
delete_first(struct store *s, struct report *r)
{
    return store_delete_submission(s, 1, r);
}

struct interruption {
    int at, step;
    bool kills;
};

static int
interrupt(void *arg)
{
    struct interruption *n = arg;

    if (n->step++ != n->at)
        return 0;
    if (n->kills)
        raise(SIGKILL);
    return 1;
}

static int
delete_interrupted(struct store *s, deletion *delete, struct interruption *n)
{
    struct report r = {0};
    int rc;

    sqlite3_progress_handler(s->db, 1, interrupt, n);
    rc = delete (s, &r);
    sqlite3_progress_handler(s->db, 0, NULL, NULL);
    return rc;
}

/* Another process deletes, and is killed at this step. */
static void
delete_killed(const struct store_place *f, deletion *delete, int at)
{
    const pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        delete_interrupted(store_place_open(f), delete,
                           &(struct interruption){.at = at, .kills = true});
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Deletes, interrupted at one step after the other, until it has happened. SQLite asks
 * once more after a commit, so that the last interruption may come too late. */
static void
check_deletion(const struct store_place *f, deletion *delete, const char *left)
{
    struct store *s = store_place_open(f);
    char *before = all_rows(s);
    int step = 0;

    check_rows(s, "PRAGMA foreign_key_check", "");
    while (delete_interrupted(s, delete, &(struct interruption){.at = step}) != 0 &&
           is_unchanged(s, before)) {
        if (step % KILL_EVERY == 0) {
            store_close(s);
            delete_killed(f, delete, step);
            s = store_place_open(f);
            assert_true(is_unchanged(s, before));
        }
        step += STRIDE;
    }
    assert_true(step > 2 * KILL_EVERY);
    check_rows(s, left, "0;");
    check_rows(s, "PRAGMA foreign_key_check", "");
    free(before);
    store_close(s);
}

static struct store *
make_ada(const struct store_place *f)
{
    struct store *s = store_place_open(f);
    struct account a;
    struct report r = {0};

    assert_int_equal(store_ensure_account(s, "ada", &a, &r), 0);
    assert_int_equal(a.id, 1);
    account_free(&a);
    store_record_as(s, store_submit_as(s, "ada", false), VERDICT_ACCEPTED, 100);
    store_record_as(s, store_submit_as(s, "ben", false), VERDICT_ACCEPTED, 200);
    return s;
}

static void
an_account_goes_whole_or_not_at_all(void **state)
{
    const struct store_place *f = *state;

    store_close(make_ada(f));
    store_place_execute(f->path, HANGING);
    check_deletion(f, delete_ada, LEFT);
}

static void
a_submission_goes_whole_or_not_at_all(void **state)
{
    const struct store_place *f = *state;

    store_close(make_ada(f));
    check_deletion(f, delete_first, LEFT_OF_SUBMISSION);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_account_goes_whole_or_not_at_all,
                                        store_place_make, store_place_remove),
        cmocka_unit_test_setup_teardown(a_submission_goes_whole_or_not_at_all,
                                        store_place_make, store_place_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
