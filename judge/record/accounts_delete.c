/* Deletes accounts, and removes what they have sent. */
#include "base/buf.h"
#include "base/file.h"
#include "record/accounts_rows.h"
#include "record/store_statements.h"

#include <stdlib.h>
#include <string.h>

#define PURGE_ROWS 8 /* submissions of one step: each may have a source of 1 MiB */

/* --- the account --------------------------------------------------------- */

/* Finds a name for a deleted account: "deleted-7" for account 7, or with the next number
 * that no name has. */
static int
deleted_name(struct store *s, int64_t id, char **out, struct report *r)
{
    struct account namesake;
    bool found = true;

    for (int64_t number = id; found; number++) {
        char *name = xasprintf("deleted-%lld", (long long)number);

        if (account_ask(s, store_bind(s, ST_NAMESAKE, "t", name), &found, &namesake, r) !=
            0) {
            free(name);
            return -1;
        }
        if (found) {
            account_free(&namesake);
            free(name);
        } else {
            *out = name;
        }
    }
    return 0;
}

static int
delete_steps(struct store *s, const struct account *a, char **name, struct report *r)
{
    if (deleted_name(s, a->id, name, r) != 0 ||
        store_run(s, store_bind(s, ST_DELETE_TOKENS, "i", a->id), r) != 0 ||
        store_set_password_steps(s, a->id, NULL, 0, r) != 0 ||
        store_run(s, store_bind(s, ST_DELETE_INVITATIONS, "t", a->name), r) != 0 ||
        store_run(s, store_bind(s, ST_DELETE_OWN_QUOTAS, "i", a->id), r) != 0 ||
        store_run(s, store_bind(s, ST_FORGET_EXTENSIONS, "i", a->id), r) != 0 ||
        store_run(s, store_bind(s, ST_LEAVE_GROUPS, "i", a->id), r) != 0)
        return -1;
    return store_run(s, store_bind(s, ST_DELETE_ACCOUNT, "iti", a->id, *name, now_ms()),
                     r);
}

int
store_is_last_admin(struct store *s, int64_t id, bool *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_LAST_ADMIN, "i", id);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *out = sqlite3_column_int(st, 0) != 0;
    sqlite3_reset(st);
    return 0;
}

int
store_delete_account(struct store *s, const struct account *a, char **name,
                     struct report *r)
{
    char *given = NULL;
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = delete_steps(s, a, &given, r);
    if (rc != 0)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    if (rc == 0)
        *name = given;
    else
        free(given);
    return rc;
}

/* --- what it has sent ---------------------------------------------------- */

int
store_deleted_pending(struct store *s, int64_t *id, bool *found, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_DELETED_PENDING, "");
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (*found) {
        *id = sqlite3_column_int64(st, 0);
        sqlite3_reset(st);
    }
    return 0;
}

/* Removes the text of one submission, and its source where nobody else has sent it. */
static int
purge_submission(struct store *s, int64_t id, const char *source, const char *empty,
                 struct report *r)
{
    if (store_run(s, store_bind(s, ST_PURGE_EQUAL, "i", id), r) != 0 ||
        store_run(s, store_bind(s, ST_PURGE_SUBMISSION, "it", id, empty), r) != 0 ||
        store_run(s, store_bind(s, ST_PURGE_TESTS, "i", id), r) != 0 ||
        store_run(s, store_bind(s, ST_PURGE_ARRAYS, "i", id), r) != 0 ||
        store_run(s, store_bind(s, ST_PURGE_KEY, "i", id), r) != 0 ||
        store_run(s, store_bind(s, ST_PURGE_PAST, "i", id), r) != 0)
        return -1;
    return store_run(s, store_bind(s, ST_PURGE_SOURCE, "tt", source, empty), r);
}

/* Purges the next submissions of an account, up to PURGE_ROWS behind number *to. */
static int
purge_rows(struct store *s, int64_t account, int64_t *to, int *count, struct report *r)
{
    int64_t id[PURGE_ROWS];
    char *source[PURGE_ROWS], empty[65];
    sqlite3_stmt *st =
        store_bind(s, ST_TO_PURGE, "iii", account, *to, (int64_t)PURGE_ROWS);
    int rc, n = 0;

    hash_hex("", 0, empty);
    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        id[n] = sqlite3_column_int64(st, 0);
        source[n++] = store_column_copy(st, 1);
    }
    rc = rc == SQLITE_DONE ? 0 : -1;
    if (rc == 0)
        rc = store_run(s, store_bind(s, ST_ADD_SOURCE, "tt", empty, ""), r);
    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = purge_submission(s, id[i], source[i], empty, r);
        free(source[i]);
    }
    if (n > 0)
        *to = id[n - 1];
    *count = n;
    return rc;
}

static int
purge_steps(struct store *s, bool *more, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_PURGING, "");
    int64_t account, to;
    int rc = store_step(s, st, r), count = 0;

    *more = rc == SQLITE_ROW;
    if (rc != SQLITE_ROW)
        return rc == SQLITE_DONE ? 0 : -1;
    account = sqlite3_column_int64(st, 0);
    to = sqlite3_column_int64(st, 1);
    sqlite3_reset(st);
    if (purge_rows(s, account, &to, &count, r) != 0)
        return -1;
    if (count == PURGE_ROWS)
        return store_run(s, store_bind(s, ST_PURGED_TO, "ii", account, to), r);
    return store_run(s, store_bind(s, ST_PURGED, "i", account), r);
}

/* Takes what was removed out of the file beside the database, too. A reader, such as a
 * backup, may be in the way; then the next commits write over it. */
static void
purge_checkpoint(struct store *s)
{
    sqlite3_busy_timeout(s->db, 0);
    (void)sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
}

int
store_purge(struct store *s, bool *more, struct report *r)
{
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = purge_steps(s, more, r);
    if (rc != 0)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    if (rc == 0 && !*more)
        purge_checkpoint(s);
    return rc;
}
