/* Opens the database: checks that it is ours, undamaged and of a known schema, brings the
 * schema up to date (store_schema.h), and prepares the statements. */
#include "record/store_statements.h"

#include "base/file.h"
#include "base/inject.h"
#include "record/store_check.h"
#include "record/store_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const SQL[ST_COUNT] = {
#define X(name, sql) [ST_##name] = (sql),
    STATEMENTS(X) ACCOUNT_STATEMENTS(X) GROUP_STATEMENTS(X) ASSIGNMENT_STATEMENTS(X)
        GRADE_STATEMENTS(X) MOVE_STATEMENTS(X) SOLVED_STATEMENTS(X) EQUAL_STATEMENTS(X)
            ANNOUNCEMENT_STATEMENTS(X) CALIBRATION_STATEMENTS(X)
#undef X
};

static int
fail_code(struct store *s, int code, struct report *r)
{
    const char *words = sqlite3_errmsg(s->db);
    int system_error = sqlite3_system_errno(s->db);

    switch (code) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return store_fail_damaged(s->path, words, r);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return report_fail(
            r,
            "%s cannot be opened for writing (%s%s%s): the file and its folder "
            "must be writable by the user who runs the judge; WARPJUDGE_HOME "
            "names another folder",
            s->path, words, system_error != 0 ? ", " : "",
            system_error != 0 ? strerror(system_error) : "");
    case SQLITE_FULL:
        return report_fail(
            r,
            "%s: the disk is full; free some space there (what was recorded "
            "before is safe)",
            s->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return report_fail(
            r,
            "%s is in use by another program, for more than %d s: end that "
            "program, or try again",
            s->path, BUSY_TIMEOUT_MS / 1000);
    case SQLITE_IOERR:
        return report_fail(r, "%s cannot be read or written (%s%s%s): look at the disk",
                           s->path, words, system_error != 0 ? ", " : "",
                           system_error != 0 ? strerror(system_error) : "");
    default:
        return report_fail(r, "%s: %s", s->path, words);
    }
}

int
store_fail(struct store *s, struct report *r)
{
    return fail_code(s, sqlite3_errcode(s->db), r);
}

sqlite3_stmt *
store_bind(struct store *s, enum statement which, const char *types, ...)
{
    sqlite3_stmt *st = s->statement[which];
    va_list ap;

    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    va_start(ap, types);
    /* Binding fails only where memory runs out or an index is wrong. The first shows as a
     * NULL that the schema refuses, and the second in the first test. */
    for (int i = 1; types[i - 1] != '\0'; i++) {
        if (types[i - 1] == 'i')
            sqlite3_bind_int64(st, i, va_arg(ap, int64_t));
        else if (types[i - 1] == 'd')
            sqlite3_bind_double(st, i, va_arg(ap, double));
        else
            sqlite3_bind_text(st, i, va_arg(ap, const char *), -1, SQLITE_STATIC);
    }
    va_end(ap);
    return st;
}

int
store_step(struct store *s, sqlite3_stmt *st, struct report *r)
{
    int rc = st == s->statement[ST_ADD_SAMPLE] && inject(INJECT_SAMPLES_FULL)
                 ? SQLITE_FULL
                 : sqlite3_step(st);

    if (rc == SQLITE_ROW)
        return rc;
    if (rc != SQLITE_DONE)
        fail_code(s, rc, r);
    sqlite3_reset(st);
    return rc == SQLITE_DONE ? SQLITE_DONE : -1;
}

int
store_run(struct store *s, sqlite3_stmt *st, struct report *r)
{
    return store_step(s, st, r) == SQLITE_DONE ? 0 : -1;
}

int
store_begin(struct store *s, struct report *r)
{
    return store_run(s, s->statement[ST_BEGIN], r);
}

int
store_commit(struct store *s, struct report *r)
{
    if (store_run(s, s->statement[ST_COMMIT], r) == 0)
        return 0;
    store_rollback(s);
    return -1;
}

void
store_rollback(struct store *s)
{
    /* SQLite may have rolled back by itself, as it does on a full disk. */
    if (sqlite3_get_autocommit(s->db) == 0)
        store_run(s, s->statement[ST_ROLLBACK], NULL);
}

static int
store_execute(struct store *s, const char *sql, struct report *r)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(s, r);
}

/* Runs a query that gives one row of one integer. */
static int
query_int(struct store *s, const char *sql, int *out, struct report *r)
{
    sqlite3_stmt *st = NULL;
    int rc = -1;

    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_fail(s, r);
    if (sqlite3_step(st) == SQLITE_ROW) {
        *out = sqlite3_column_int(st, 0);
        rc = 0;
    } else {
        store_fail(s, r);
    }
    sqlite3_finalize(st);
    return rc;
}

/* Fails where the file is damaged. A large one is left to the caller where it asks to
 * know (`how`). */
static int
store_check_undamaged(struct store *s, struct store_opening *how, struct report *r)
{
    bool damaged;
    struct stat st;

    if (how != NULL && stat(s->path, &st) == 0) {
        how->checked = st.st_size <= STORE_CHECK_AT_ONCE;
        if (!how->checked)
            return 0;
    }
    if (store_quick_check(s->db, s->path, &damaged, r) == 0)
        return 0;
    return damaged ? -1 : store_fail(s, r);
}

static int
check_ours(struct store *s, int *version, struct report *r)
{
    int application = 0, tables = 0;

    if (query_int(s, "PRAGMA user_version", version, r) != 0 ||
        query_int(s, "PRAGMA application_id", &application, r) != 0 ||
        query_int(s, "SELECT count(*) FROM sqlite_schema", &tables, r) != 0)
        return -1;
    if (tables > 0 && application != APPLICATION_ID)
        return report_fail(
            r,
            "%s is an SQLite database of another program, not a leaderboard: "
            "move it away, or set WARPJUDGE_HOME to another folder",
            s->path);
    if (*version > store_newest_schema())
        return report_fail(
            r,
            "%s was made by a newer warpjudge (its schema is version %d, this "
            "one knows %d): use that newer warpjudge, or set WARPJUDGE_HOME "
            "to another folder",
            s->path, *version, store_newest_schema());
    return 0;
}

static int
store_migrate(struct store *s, int version, struct store_opening *how, struct report *r)
{
    const uint64_t begun_ns = now_ns();

    if (how != NULL) {
        how->upgraded_from = version < store_newest_schema() ? version : 0;
        how->schema = store_newest_schema();
    }
    for (; version < store_newest_schema(); version++) {
        char *sql = xasprintf("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; "
                              "PRAGMA user_version = %d; COMMIT;",
                              store_migration(version), APPLICATION_ID, version + 1);
        int rc = store_execute(s, sql, r);

        free(sql);
        if (rc != 0) {
            if (sqlite3_get_autocommit(s->db) == 0)
                sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
            report_prefix(r, "the schema cannot be brought from version %d to %d",
                          version, version + 1);
            return -1;
        }
    }
    if (how != NULL)
        how->upgrade_ns = now_ns() - begun_ns;
    return 0;
}

static int
prepare_all(struct store *s, struct report *r)
{
    for (int i = 0; i < ST_COUNT; i++)
        if (sqlite3_prepare_v3(s->db, SQL[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &s->statement[i], NULL) != SQLITE_OK)
            return store_fail(s, r);
    return 0;
}

char *
store_column_copy(sqlite3_stmt *st, int column)
{
    const unsigned char *t = sqlite3_column_text(st, column);

    return t != NULL ? xstrdup((const char *)t) : NULL;
}

/* Makes the file, and those that SQLite keeps beside it, its owner's alone: hashes of
 * tokens and other people's sources are in them. What cannot be made is left to SQLite,
 * which says why. */
static int
store_make_private(const struct store *s, struct report *r)
{
    static const char *const BESIDE[] = {"", "-wal", "-shm"};
    const int made = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int rc = 0;

    if (made >= 0)
        close(made);
    for (size_t i = 0; i < sizeof BESIDE / sizeof *BESIDE && rc == 0; i++) {
        char *path = xasprintf("%s%s", s->path, BESIDE[i]);
        struct stat st;

        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0077) != 0 &&
            chmod(path, 0600) != 0)
            rc = report_errno(r, "%s cannot be made unreadable to others", path);
        free(path);
    }
    return rc;
}

static int
open_steps(struct store *s, struct store_opening *how, struct report *r)
{
    int version = 0;

    if (store_make_private(s, r) != 0)
        return -1;
    if (sqlite3_open_v2(s->path, &s->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return store_fail(s, r);
    sqlite3_extended_result_codes(s->db, 0);
    sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
    /* The file must be known to be ours before the first pragma that writes. */
    if (check_ours(s, &version, r) != 0 || store_check_undamaged(s, how, r) != 0 ||
        store_execute(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", r) !=
            0 ||
        store_migrate(s, version, how, r) != 0)
        return -1;
    if (store_execute(s, /* What is deleted is overwritten in the file, too. */
                      "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"
                      "PRAGMA secure_delete = ON;",
                      r) != 0)
        return -1;
    sqlite3_update_hook(s->db, store_count_changes, s);
    return prepare_all(s, r) == 0 ? store_load_rankings(s, r) : -1;
}

static int
open_steps_to_read(struct store *s, struct store_opening *how, struct report *r)
{
    int version = 0;

    (void)how;
    if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return report_fail(r, "%s cannot be read: %s", s->path, sqlite3_errmsg(s->db));
    sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
    if (check_ours(s, &version, r) != 0)
        return -1;
    if (version != store_newest_schema())
        return report_fail(
            r,
            "%s is of an older warpjudge: `warpjudge serve` brings it up to "
            "date",
            s->path);
    return prepare_all(s, r);
}

static int
store_open_by(int (*steps)(struct store *, struct store_opening *, struct report *),
              const char *path, struct store_opening *how, struct store **out,
              struct report *r)
{
    struct store *s = xcalloc(1, sizeof *s);

    /* SQLite else counts what it allocates, under a lock. It listens before it is first
     * used only. */
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    s->path = xstrdup(path);
    if (steps(s, how, r) != 0) {
        store_close(s);
        return -1;
    }
    *out = s;
    return 0;
}

int
store_open(const char *path, struct store **out, struct report *r)
{
    return store_open_by(open_steps, path, NULL, out, r);
}

int
store_open_to_serve(const char *path, struct store **out, struct store_opening *how,
                    struct report *r)
{
    return store_open_by(open_steps, path, how, out, r);
}

int
store_open_to_read(const char *path, struct store **out, struct report *r)
{
    return store_open_by(open_steps_to_read, path, NULL, out, r);
}

void
store_close(struct store *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < ST_COUNT; i++)
        sqlite3_finalize(s->statement[i]);
    rankings_free(s->rankings);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}
