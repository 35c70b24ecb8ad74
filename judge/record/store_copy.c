/* Makes backups of the database by SQLite's online backup, and restores them. */
#include "record/store_copy.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/store_schema.h"
#include "record/store_statements.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- questions about a file --------------------------------------------- */

static int
copy_fail(sqlite3 *db, const char *path, struct report *r)
{
    const int code = db != NULL ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
    const char *words = db != NULL ? sqlite3_errmsg(db) : "out of memory";

    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return report_fail(r, "%s is damaged, or is no backup of a judge (%s)", path,
                           words);
    if (code == SQLITE_FULL)
        return report_fail(r, "%s: the disk is full", path);
    return report_fail(r, "%s cannot be read or written: %s", path, words);
}

/* Runs a query that gives one row of one integer. */
static int
copy_number(sqlite3 *db, const char *path, const char *sql, int64_t *out,
            struct report *r)
{
    sqlite3_stmt *st = NULL;
    int rc = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW) {
        *out = sqlite3_column_int64(st, 0);
        rc = 0;
    } else {
        copy_fail(db, path, r);
    }
    sqlite3_finalize(st);
    return rc;
}

/* Fails where a query finds a row whose text is not "ok". */
static int
copy_must_be_ok(sqlite3 *db, const char *path, const char *sql, struct report *r)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK ? 0 : -1;
    int step = rc == 0 ? sqlite3_step(st) : SQLITE_DONE;

    if (rc != 0 || (step != SQLITE_ROW && step != SQLITE_DONE)) {
        rc = copy_fail(db, path, r);
    } else if (step == SQLITE_ROW) {
        const char *words = (const char *)sqlite3_column_text(st, 0);
        const char *last = words != NULL ? strrchr(words, '\n') : NULL;

        if (words == NULL || strcmp(words, "ok") != 0)
            rc = report_fail(r, "%s is damaged (%s)", path,
                             last != NULL    ? last + 1
                             : words != NULL ? words
                                             : "no text");
    }
    sqlite3_finalize(st);
    return rc;
}

/* Fails unless the file is a whole database of ours that this program knows. */
static int
copy_check(sqlite3 *db, const char *path, struct report *r)
{
    int64_t application = 0, version = 0;

    if (copy_number(db, path, "PRAGMA application_id", &application, r) != 0 ||
        copy_number(db, path, "PRAGMA user_version", &version, r) != 0)
        return -1;
    if (application != APPLICATION_ID)
        return report_fail(r, "%s is no database of a judge", path);
    if (version > store_newest_schema())
        return report_fail(r,
                           "%s was made by a newer warpjudge (its schema is version "
                           "%lld, this one knows %d): use that newer warpjudge",
                           path, (long long)version, store_newest_schema());
    if (copy_must_be_ok(db, path, "PRAGMA integrity_check(1)", r) != 0)
        return -1;
    return copy_must_be_ok(db, path,
                           "SELECT 'a row of ' || \"table\" || ' names one that is not "
                           "there' FROM pragma_foreign_key_check LIMIT 1",
                           r);
}

static int
copy_contents(sqlite3 *db, const char *path, struct store_contents *out, struct report *r)
{
    struct store_contents c = {0};

    if (copy_number(db, path, "SELECT count(*) FROM submissions", &c.submissions, r) !=
            0 ||
        copy_number(db, path, "SELECT count(*) FROM submissions WHERE done = 0",
                    &c.waiting, r) != 0 ||
        copy_number(db, path, "SELECT count(*) FROM users", &c.users, r) != 0 ||
        copy_number(db, path,
                    "SELECT page_count * page_size FROM pragma_page_count(), "
                    "pragma_page_size()",
                    &c.bytes, r) != 0)
        return -1;
    *out = c;
    return 0;
}

/* --- one copy ----------------------------------------------------------- */

static int
copy_open(const char *path, int flags, sqlite3 **db, struct report *r)
{
    if (sqlite3_open_v2(path, db, flags, NULL) != SQLITE_OK)
        return copy_fail(*db, path, r);
    sqlite3_busy_timeout(*db, BUSY_TIMEOUT_MS);
    return 0;
}

/* Copies all pages in one step, which is one read transaction. */
static int
copy_pages(sqlite3 *from, sqlite3 *to, const char *path, struct report *r)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");

    if (backup == NULL)
        return copy_fail(to, path, r);
    (void)sqlite3_backup_step(backup, -1); /* the end tells of its failure, too */
    return sqlite3_backup_finish(backup) == SQLITE_OK ? 0 : copy_fail(to, path, r);
}

/* The file must be there, because SQLite would make an empty one, and be a regular one,
 * because it would wait at a pipe. */
static int
copy_check_file(const char *path, struct report *r)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return report_errno(r, "%s cannot be read", path);
    if (!S_ISREG(st.st_mode))
        return report_fail(r, "%s is no regular file", path);
    return 0;
}

/* Copies a database into the empty file `to`, as one file without a log beside it. */
static int
copy_into(const char *path, const char *to, struct store_contents *out, struct report *r)
{
    sqlite3 *from = NULL, *copy = NULL;
    int rc = copy_check_file(path, r);

    if (rc == 0)
        rc = copy_open(path, SQLITE_OPEN_READONLY, &from, r);
    if (rc == 0)
        rc = copy_open(to, SQLITE_OPEN_READWRITE, &copy, r);
    if (rc == 0)
        rc = copy_check(from, path, r);
    if (rc == 0)
        rc = copy_pages(from, copy, to, r);
    if (rc == 0 &&
        sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) != SQLITE_OK)
        rc = copy_fail(copy, to, r);
    if (rc == 0)
        rc = copy_check(copy, to, r);
    if (rc == 0)
        rc = copy_contents(copy, to, out, r);
    sqlite3_close(from);
    sqlite3_close(copy);
    return rc;
}

static int
sync_path(const char *path, int flags, struct report *r)
{
    int fd = open(path, flags | O_CLOEXEC);
    int rc =
        fd >= 0 && fsync(fd) == 0 ? 0 : report_errno(r, "%s cannot be flushed", path);

    if (fd >= 0)
        close(fd);
    return rc;
}

/* Flushes the folder that a file is in, so that its name survives a power cut. */
static int
sync_folder_of(const char *path, struct report *r)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL   ? xstrdup(".")
                   : slash == path ? xstrdup("/")
                                   : xasprintf("%.*s", (int)(slash - path), path);
    int rc = sync_path(folder, O_RDONLY | O_DIRECTORY, r);

    free(folder);
    return rc;
}

/* Makes an empty file of mode 0600 beside `path`, whose name the caller frees. */
static char *
make_beside(const char *path, struct report *r)
{
    char *name = xasprintf("%s.XXXXXX", path);
    int fd = mkostemp(name, O_CLOEXEC);

    if (fd < 0) {
        report_errno(r, "%s cannot be written", path);
        free(name);
        return NULL;
    }
    close(fd);
    return name;
}

/* Renames a file to a name that is not there. Some file systems cannot promise that, as
 * those of memory sticks; the name was free a moment ago. */
static int
rename_to_new(const char *from, const char *to, struct report *r)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ||
        ((errno == EINVAL || errno == ENOSYS) && rename(from, to) == 0))
        return 0;
    return report_errno(r, "%s cannot be written", to);
}

int
store_backup(const char *database, const char *to, struct store_contents *out,
             struct report *r)
{
    struct stat st;
    char *copy;
    int rc;

    if (lstat(to, &st) == 0)
        return report_fail(r, "%s is there already: name another file", to);
    copy = make_beside(to, r);
    if (copy == NULL)
        return -1;
    rc = copy_into(database, copy, out, r);
    if (rc == 0)
        rc = sync_path(copy, O_RDONLY, r);
    if (rc == 0)
        rc = rename_to_new(copy, to, r);
    if (rc == 0)
        rc = sync_folder_of(to, r);
    else
        unlink(copy);
    free(copy);
    return rc;
}

/* --- the way back ------------------------------------------------------- */

static const char *const BESIDE[] = {"", "-wal", "-shm"};

/* Gives the database's file the name `aside`, too. What SQLite has not yet moved from its
 * log into the file is moved before; of a damaged database the log is kept, too. */
static int
link_aside(const char *database, const char *aside, struct report *r)
{
    sqlite3 *db = NULL;
    int rc = 0;

    if (sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
        (void)sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    sqlite3_close(db);
    for (size_t i = 0; i < 2 && rc == 0; i++) {
        char *from = xasprintf("%s%s", database, BESIDE[i]);
        char *to = xasprintf("%s%s", aside, BESIDE[i]);

        if (link(from, to) != 0 && (i == 0 || errno != ENOENT))
            rc = report_errno(r, "%s cannot be put aside as %s", from, to);
        free(from);
        free(to);
    }
    return rc;
}

/* Removes the logs of the old database, which SQLite would apply to the new one. */
static int
remove_logs(const char *database, struct report *r)
{
    int rc = 0;

    for (size_t i = 1; i < sizeof BESIDE / sizeof *BESIDE && rc == 0; i++) {
        char *path = xasprintf("%s%s", database, BESIDE[i]);

        if (unlink(path) != 0 && errno != ENOENT)
            rc = report_errno(r, "%s cannot be removed", path);
        free(path);
    }
    return rc;
}

/* A name beside the database that says when it was put aside. The caller frees. */
static char *
aside_name(const char *database)
{
    const time_t now = time(NULL);
    struct tm tm;
    struct stat st;
    char when[32];
    char *name;

    gmtime_r(&now, &tm);
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &tm);
    name = xasprintf("%s.before-%s", database, when);
    for (int i = 2; lstat(name, &st) == 0; i++) {
        free(name);
        name = xasprintf("%s.before-%s-%d", database, when, i);
    }
    return name;
}

/* Brings the copy to the newest schema, and sees that everything in it is understood. */
static int
copy_make_ready(const char *copy, struct report *r)
{
    struct store *s = NULL;
    int rc = store_open(copy, &s, r);

    store_close(s);
    return rc == 0 ? sync_path(copy, O_RDONLY, r) : -1;
}

/* Puts the finished copy in the place of the database. */
static int
copy_take_place(const char *copy, const char *database, char **aside, struct report *r)
{
    struct stat st;
    char *old = lstat(database, &st) == 0 ? aside_name(database) : NULL;
    int rc = old != NULL ? link_aside(database, old, r) : 0;

    if (rc == 0)
        rc = sync_folder_of(database, r);
    if (rc == 0)
        rc = remove_logs(database, r);
    if (rc == 0 && rename(copy, database) != 0)
        rc = report_errno(r, "%s cannot be replaced", database);
    if (rc == 0)
        rc = sync_folder_of(database, r);
    if (rc == 0)
        *aside = old;
    else
        free(old);
    return rc;
}

int
store_restore(const char *from, const char *database, char **aside,
              struct store_contents *out, struct report *r)
{
    char *real = realpath(database, NULL); /* the file may lie behind a link */
    const char *place = real != NULL ? real : database;
    struct stat a, b;
    char *copy = NULL;
    int rc = 0;

    if (stat(from, &a) == 0 && stat(place, &b) == 0 && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        rc = report_fail(r, "%s is the database itself, and no backup of it", from);
    if (rc == 0 && (copy = make_beside(place, r)) == NULL)
        rc = -1;
    if (rc == 0)
        rc = copy_into(from, copy, out, r);
    if (rc == 0)
        rc = copy_make_ready(copy, r);
    if (rc == 0)
        rc = copy_take_place(copy, place, aside, r);
    if (rc != 0 && copy != NULL)
        unlink(copy);
    free(copy);
    free(real);
    return rc;
}
