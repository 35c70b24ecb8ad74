#include "record/store_checkpoint.h"

#include "record/store_statements.h"

#include <stdlib.h>

/* What SQLite begins with. */
#define CHECKPOINT_PAGES_DEFAULT 1000

struct store_checkpoint {
    sqlite3 *db;
    char *path;
};

static int
store_on_commit(void *arg, sqlite3 *db, const char *database, int length)
{
    const struct store *s = arg;

    (void)db;
    (void)database;
    s->committed(s->committed_arg, length);
    return SQLITE_OK;
}

void
store_leave_checkpoints(struct store *s, void (*committed)(void *arg, int length),
                        void *arg)
{
    s->committed = committed;
    s->committed_arg = arg;
    /* SQLite's own checkpoints are such a hook, too. Each replaces the other. */
    if (committed != NULL)
        sqlite3_wal_hook(s->db, store_on_commit, s);
    else
        sqlite3_wal_autocheckpoint(s->db, CHECKPOINT_PAGES_DEFAULT);
}

struct store_checkpoint *
store_checkpoint_new(const char *path, struct report *r)
{
    struct store_checkpoint *c = xcalloc(1, sizeof *c);

    c->path = xstrdup(path);
    /* A connection that has read nothing does not know yet that there is a log. */
    if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_exec(c->db,
                     "PRAGMA synchronous = FULL; SELECT count(*) FROM sqlite_schema",
                     NULL, NULL, NULL) == SQLITE_OK)
        return c;
    report_fail(r, "%s cannot be opened for checkpoints: %s", path,
                sqlite3_errmsg(c->db));
    store_checkpoint_free(c);
    return NULL;
}

/* Another checkpoint that is under way is no failure. */
static int
checkpoint_passive(sqlite3 *db, const char *path, struct log_pages *out, struct report *r)
{
    int rc;

    *out = (struct log_pages){0};
    rc = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, &out->length,
                                   &out->copied);
    if (rc == SQLITE_OK || rc == SQLITE_BUSY)
        return 0;
    return report_fail(r, "the log of %s cannot be copied into it: %s", path,
                       sqlite3_errmsg(db));
}

int
store_checkpoint_run(struct store_checkpoint *c, struct log_pages *out, struct report *r)
{
    return checkpoint_passive(c->db, c->path, out, r);
}

int
store_checkpoint_rest(struct store *s, struct log_pages *out, struct report *r)
{
    return checkpoint_passive(s->db, s->path, out, r);
}

void
store_checkpoint_free(struct store_checkpoint *c)
{
    if (c == NULL)
        return;
    sqlite3_close(c->db);
    free(c->path);
    free(c);
}
