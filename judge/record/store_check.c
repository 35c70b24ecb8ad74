#include "record/store_check.h"

#include "record/store_statements.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct store_check {
    sqlite3 *db;
    char *path;
    atomic_bool stopped;
};

int
store_fail_damaged(const char *path, const char *words, struct report *r)
{
    return report_fail(
        r,
        "%s is damaged, or is not a database (%s): move it away to start "
        "with an empty one, or put a copy back; `sqlite3 FILE .recover` may "
        "save what is in it",
        path, words);
}

int
store_quick_check(sqlite3 *db, const char *path, bool *damaged, struct report *r)
{
    sqlite3_stmt *st = NULL;
    int rc = 0;

    *damaged = false;
    if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &st, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(st) != SQLITE_ROW) {
        rc = -1;
    } else {
        const char *words = (const char *)sqlite3_column_text(st, 0);
        const char *last = strrchr(words, '\n'); /* the last line; others are headings */

        *damaged = strcmp(words, "ok") != 0;
        if (*damaged)
            rc = store_fail_damaged(path, last != NULL ? last + 1 : words, r);
    }
    sqlite3_finalize(st);
    return rc;
}

struct store_check *
store_check_new(const char *path, struct report *r)
{
    struct store_check *c = xcalloc(1, sizeof *c);

    c->path = xstrdup(path);
    if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
        return c;
    report_fail(r, "%s cannot be checked: %s", path, sqlite3_errmsg(c->db));
    store_check_free(c);
    return NULL;
}

int
store_check_run(struct store_check *c, bool *damaged, struct report *r)
{
    struct report why = {0};
    int code;

    if (atomic_load(&c->stopped) ||
        store_quick_check(c->db, c->path, damaged, &why) == 0 || atomic_load(&c->stopped))
        return 0;
    if (*damaged)
        return report_fail(r, "%s", why.text);
    code = sqlite3_errcode(c->db);
    *damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    return *damaged ? store_fail_damaged(c->path, sqlite3_errmsg(c->db), r)
                    : report_fail(r, "%s cannot be checked: %s", c->path,
                                  sqlite3_errmsg(c->db));
}

void
store_check_stop(struct store_check *c)
{
    atomic_store(&c->stopped, true);
    sqlite3_interrupt(c->db);
}

void
store_check_free(struct store_check *c)
{
    if (c == NULL)
        return;
    sqlite3_close(c->db);
    free(c->path);
    free(c);
}
