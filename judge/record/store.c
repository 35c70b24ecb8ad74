/*
 * Opens the database: checks that it is ours, undamaged and of a known schema, brings the
 * schema up to date, and prepares the statements.
 *
 * To change the schema, append a step to MIGRATIONS, and never edit an older one. Step i
 * is SQL that takes a database of version i to version i + 1. It runs in one transaction
 * together with the change of PRAGMA user_version, so that a killed migration did not
 * happen. Then change the statements (store_statements.h) and test_store.c's fixture. A
 * column that goes away is dropped one version after the last code that reads it.
 */
#include "record/store_statements.h"

#include "base/inject.h"
#include "record/store_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const MIGRATIONS[] = {
    /* 0 -> 1: users, their submissions with results, and the entries of the boards. */
    "CREATE TABLE users ("
    "  id INTEGER PRIMARY KEY,"
    "  name TEXT NOT NULL UNIQUE,"
    "  created_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE sources ("
    "  sha256 TEXT PRIMARY KEY,"
    "  text TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE submissions ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  problem TEXT NOT NULL,"
    "  device TEXT NOT NULL,"
    "  board TEXT NOT NULL,"
    "  filename TEXT NOT NULL,"
    "  source TEXT NOT NULL REFERENCES sources (sha256),"
    "  sample_only INTEGER NOT NULL CHECK (sample_only IN (0, 1)),"
    "  created_ms INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL DEFAULT 1,"
    "  done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),"
    "  verdict TEXT, message TEXT,"
    "  time_ns REAL, q1_ns REAL, q3_ns REAL, null_ns REAL,"
    "  modelled INTEGER NOT NULL DEFAULT 0, warmup INTEGER NOT NULL DEFAULT 0,"
    "  work_bytes REAL, work_flops REAL, sizes TEXT, counters TEXT,"
    "  compile_seconds REAL, compile_cached INTEGER NOT NULL DEFAULT 0,"
    "  finished_ms INTEGER,"
    "  CHECK (done = (verdict IS NOT NULL) AND done = (finished_ms IS NOT NULL))) STRICT;"
    "CREATE INDEX submissions_pending ON submissions (id) WHERE done = 0;"
    "CREATE INDEX submissions_by_user ON submissions (user_id, id);"
    "CREATE INDEX submissions_by_problem ON submissions (problem, id);"
    "CREATE TABLE tests ("
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  number INTEGER NOT NULL,"
    "  verdict TEXT NOT NULL, sizes TEXT NOT NULL, detail TEXT,"
    "  PRIMARY KEY (submission_id, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE samples ("
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  number INTEGER NOT NULL,"
    "  time_ns REAL NOT NULL,"
    "  PRIMARY KEY (submission_id, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE entries ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  submission_id INTEGER NOT NULL UNIQUE REFERENCES submissions (id),"
    "  time_ns REAL NOT NULL CHECK (time_ns > 0),"
    "  PRIMARY KEY (problem, board, user_id)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX entries_by_time ON entries (problem, board, time_ns);"
    "CREATE INDEX entries_by_board ON entries (board);",

    /* 1 -> 2: what the checks of the emulated GPU noticed. */
    "ALTER TABLE submissions ADD COLUMN notices TEXT;",

    /* 2 -> 3: the interval of a time, and its roofline. Times of before have no interval,
     * and get a point. */
    "ALTER TABLE submissions ADD COLUMN low_ns REAL;"
    "ALTER TABLE submissions ADD COLUMN high_ns REAL;"
    "UPDATE submissions SET low_ns = time_ns, high_ns = time_ns;"
    "ALTER TABLE submissions ADD COLUMN limit_ns REAL;"
    "ALTER TABLE submissions ADD COLUMN limit_by TEXT;"
    "ALTER TABLE submissions ADD COLUMN review INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE submissions ADD COLUMN remark TEXT;"
    "ALTER TABLE submissions ADD COLUMN conditions TEXT;",

    /* 3 -> 4: whether it was judged without a sandbox, which is not known of older ones.
     */
    "ALTER TABLE submissions ADD COLUMN insecure INTEGER NOT NULL DEFAULT 0;",

    /* 4 -> 5: the seed of its inputs, which is not known of older ones. */
    "ALTER TABLE submissions ADD COLUMN seed TEXT;",

    /* 5 -> 6: accounts, tokens and invitations (accounts.h). Names of before are
     * unclaimed. The order of scopes' bits is in accounts.h. */
    "ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'member'"
    "  CHECK (role IN ('member', 'staff', 'admin'));"
    "ALTER TABLE users ADD COLUMN state TEXT NOT NULL DEFAULT 'unclaimed'"
    "  CHECK (state IN ('unclaimed', 'active', 'closed'));"
    "CREATE INDEX users_by_name ON users (name COLLATE NOCASE);"
    "CREATE UNIQUE INDEX users_claimed ON users (name COLLATE NOCASE)"
    "  WHERE state <> 'unclaimed';"
    "CREATE TABLE tokens ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  parent_id INTEGER REFERENCES tokens (id),"
    "  hash TEXT NOT NULL UNIQUE,"
    "  label TEXT NOT NULL,"
    "  scopes INTEGER NOT NULL,"
    "  created_ms INTEGER NOT NULL,"
    "  expires_ms INTEGER NOT NULL,"
    "  used_ms INTEGER NOT NULL DEFAULT 0,"
    "  revoked_ms INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE INDEX tokens_by_user ON tokens (user_id, id);"
    "CREATE INDEX tokens_by_parent ON tokens (parent_id);"
    "CREATE TABLE invitations ("
    "  id INTEGER PRIMARY KEY,"
    "  hash TEXT NOT NULL UNIQUE,"
    "  name TEXT,"
    "  role TEXT NOT NULL CHECK (role IN ('member', 'staff', 'admin')),"
    "  created_ms INTEGER NOT NULL,"
    "  expires_ms INTEGER NOT NULL,"
    "  used_ms INTEGER NOT NULL DEFAULT 0) STRICT;",

    /* 6 -> 7: a user's submissions to one problem are found without the others. */
    "CREATE INDEX IF NOT EXISTS submissions_by_user_problem"
    " ON submissions (user_id, problem, id);",

    /* 7 -> 8: how long a judgement had its device, names to show, and deleted accounts
     * (accounts.h). What was judged before counts as no use. The index of sources tells
     * who else has sent one. */
    "ALTER TABLE submissions ADD COLUMN device_ms INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX submissions_by_use ON submissions (user_id, finished_ms, device_ms)"
    "  WHERE device_ms > 0;"
    "CREATE INDEX submissions_by_source ON submissions (source);"
    "ALTER TABLE users ADD COLUMN display_name TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE users ADD COLUMN deleted_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE users ADD COLUMN purged_to INTEGER;"
    "CREATE INDEX users_to_purge ON users (id) WHERE purged_to IS NOT NULL;",

    /* 8 -> 9: what a profile finds out (enum profile). Before there was none. */
    "ALTER TABLE submissions ADD COLUMN profile INTEGER NOT NULL DEFAULT 0;",

    /* 9 -> 10: what is wrong with a submission, as data. Of earlier ones there is none.
     */
    "ALTER TABLE submissions ADD COLUMN findings TEXT;",

    /* 10 -> 11: passwords, sessions and reset codes (sessions.h). */
    "CREATE TABLE passwords ("
    "  user_id INTEGER PRIMARY KEY REFERENCES users (id),"
    "  hash TEXT NOT NULL,"
    "  set_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE sessions ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  hash TEXT NOT NULL UNIQUE,"
    "  label TEXT NOT NULL,"
    "  created_ms INTEGER NOT NULL,"
    "  used_ms INTEGER NOT NULL,"
    "  expires_ms INTEGER NOT NULL) STRICT;"
    "CREATE INDEX sessions_by_user ON sessions (user_id, id);"
    "CREATE TABLE resets ("
    "  user_id INTEGER PRIMARY KEY REFERENCES users (id),"
    "  hash TEXT NOT NULL UNIQUE,"
    "  expires_ms INTEGER NOT NULL) STRICT;",

    /* 11 -> 12: keys under which submissions were sent (struct submission_key). */
    "CREATE TABLE submission_keys ("
    "  owner TEXT PRIMARY KEY,"
    "  body INTEGER NOT NULL,"
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  created_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX submission_keys_by_submission ON submission_keys (submission_id);",

    /* 12 -> 13: what of a problem a result belongs to (problem/meaning.h). Boards of
     * before mix what was judged before a problem changed and after: store_adopt() tells
     * them apart where the problems are at hand. */
    "ALTER TABLE submissions ADD COLUMN meaning TEXT NOT NULL DEFAULT '" MEANING_UNKNOWN
    "';"
    "UPDATE submissions SET meaning = '" MEANING_OF_BEFORE "'"
    "  WHERE verdict = 'accepted' AND sample_only = 0 AND time_ns > 0;"
    "CREATE TABLE ranked ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL, meaning TEXT NOT NULL,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  submission_id INTEGER NOT NULL UNIQUE REFERENCES submissions (id),"
    "  time_ns REAL NOT NULL CHECK (time_ns > 0),"
    "  PRIMARY KEY (problem, board, meaning, user_id)) STRICT, WITHOUT ROWID;"
    "INSERT INTO ranked SELECT problem, board, '" MEANING_OF_BEFORE "', user_id,"
    "  submission_id, time_ns FROM entries;"
    "DROP TABLE entries;"
    "ALTER TABLE ranked RENAME TO entries;"
    "CREATE INDEX entries_by_board ON entries (board);",

    /* 13 -> 14: results that others have taken the place of (replace.h). */
    "CREATE TABLE past_results ("
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  number INTEGER NOT NULL,"
    "  finished_ms INTEGER NOT NULL, replaced_ms INTEGER NOT NULL,"
    "  verdict TEXT NOT NULL, message TEXT NOT NULL,"
    "  board TEXT NOT NULL, meaning TEXT NOT NULL, sizes TEXT,"
    "  time_ns REAL, low_ns REAL, high_ns REAL, seed TEXT,"
    "  PRIMARY KEY (submission_id, number)) STRICT, WITHOUT ROWID;",

    /* 14 -> 15: how often a board was begun anew by an admin's wish. */
    "CREATE TABLE begun_boards ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL,"
    "  number INTEGER NOT NULL, begun_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (problem, board)) STRICT, WITHOUT ROWID;",

    /* 15 -> 16: what results changed on their boards (moves.h), which is not known of
     * older ones. */
    "CREATE TABLE moves ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  submission_id INTEGER NOT NULL UNIQUE REFERENCES submissions (id),"
    "  made_ms INTEGER NOT NULL,"
    "  problem TEXT NOT NULL, board TEXT NOT NULL, meaning TEXT NOT NULL,"
    "  improved INTEGER NOT NULL CHECK (improved IN (0, 1)),"
    "  sure INTEGER NOT NULL CHECK (sure IN (0, 1)),"
    "  best_id INTEGER REFERENCES submissions (id), best_ns REAL,"
    "  rank_before INTEGER, rank INTEGER NOT NULL,"
    "  entries INTEGER NOT NULL, passed INTEGER NOT NULL,"
    "  CHECK ((best_id IS NULL) = (rank_before IS NULL))) STRICT;"
    "CREATE INDEX moves_improved ON moves (id) WHERE improved = 1;"
    "CREATE INDEX moves_by_problem ON moves (problem, id) WHERE improved = 1;"
    "CREATE TABLE passed ("
    "  move_id INTEGER NOT NULL REFERENCES moves (id),"
    "  number INTEGER NOT NULL,"
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  time_ns REAL NOT NULL,"
    "  PRIMARY KEY (move_id, number)) STRICT, WITHOUT ROWID;",

    /* 16 -> 17: what a user has solved, and when, is found without the others. */
    "CREATE INDEX entries_by_user ON entries (user_id, problem);"
    "CREATE INDEX submissions_accepted ON submissions (user_id, created_ms)"
    "  WHERE verdict = 'accepted' AND sample_only = 0;",

    /* 17 -> 18: an entry has its submission's interval beside its time, so that rankings
     * are read without the submissions' rows. NULL means that it has none, and that the
     * submission is asked. */
    "ALTER TABLE entries ADD COLUMN low_ns REAL;"
    "ALTER TABLE entries ADD COLUMN high_ns REAL;"
    "UPDATE entries SET (low_ns, high_ns) = (SELECT s.low_ns, s.high_ns"
    "  FROM submissions s WHERE s.id = entries.submission_id);",

    /* 18 -> 19: the house's marks on the boards (marks.h). */
    "CREATE TABLE marks ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL, meaning TEXT NOT NULL,"
    "  filename TEXT NOT NULL, sha256 TEXT NOT NULL,"
    "  time_ns REAL NOT NULL CHECK (time_ns > 0),"
    "  low_ns REAL NOT NULL, high_ns REAL NOT NULL, judged_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (problem, board, meaning, filename)) STRICT, WITHOUT ROWID;",
};

#define SCHEMA_VERSION ((int)(sizeof MIGRATIONS / sizeof MIGRATIONS[0]))

int
store_newest_schema(void)
{
    return SCHEMA_VERSION;
}

static const char *const SQL[ST_COUNT] = {
#define X(name, sql) [ST_##name] = (sql),
    STATEMENTS(X) ACCOUNT_STATEMENTS(X) MOVE_STATEMENTS(X) SOLVED_STATEMENTS(X)
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
 * know (`checked`). */
static int
store_check_undamaged(struct store *s, bool *checked, struct report *r)
{
    bool damaged;
    struct stat st;

    if (checked != NULL && stat(s->path, &st) == 0) {
        *checked = st.st_size <= STORE_CHECK_AT_ONCE;
        if (!*checked)
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
    if (*version > SCHEMA_VERSION)
        return report_fail(
            r,
            "%s was made by a newer warpjudge (its schema is version %d, this "
            "one knows %d): use that newer warpjudge, or set WARPJUDGE_HOME "
            "to another folder",
            s->path, *version, SCHEMA_VERSION);
    return 0;
}

static int
store_migrate(struct store *s, int version, struct report *r)
{
    for (; version < SCHEMA_VERSION; version++) {
        char *sql = xasprintf("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; "
                              "PRAGMA user_version = %d; COMMIT;",
                              MIGRATIONS[version], APPLICATION_ID, version + 1);
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
open_steps(struct store *s, bool *checked, struct report *r)
{
    int version = 0;

    if (store_make_private(s, r) != 0)
        return -1;
    if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        return store_fail(s, r);
    sqlite3_extended_result_codes(s->db, 0);
    sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
    /* The file must be known to be ours before the first pragma that writes. */
    if (check_ours(s, &version, r) != 0 || store_check_undamaged(s, checked, r) != 0 ||
        store_execute(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", r) !=
            0 ||
        store_migrate(s, version, r) != 0)
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
open_steps_to_read(struct store *s, bool *checked, struct report *r)
{
    int version = 0;

    (void)checked;
    if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return report_fail(r, "%s cannot be read: %s", s->path, sqlite3_errmsg(s->db));
    sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
    if (check_ours(s, &version, r) != 0)
        return -1;
    if (version != SCHEMA_VERSION)
        return report_fail(
            r,
            "%s is of an older warpjudge: `warpjudge serve` brings it up to "
            "date",
            s->path);
    return prepare_all(s, r);
}

static int
store_open_by(int (*steps)(struct store *, bool *, struct report *), const char *path,
              bool *checked, struct store **out, struct report *r)
{
    struct store *s = xcalloc(1, sizeof *s);

    s->path = xstrdup(path);
    if (steps(s, checked, r) != 0) {
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
store_open_to_serve(const char *path, struct store **out, bool *checked, struct report *r)
{
    return store_open_by(open_steps, path, checked, out, r);
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
