/* Passwords, sessions and reset codes in the store. */
#include "record/sessions.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/accounts_rows.h"
#include "record/store_statements.h"

#include <stdlib.h>

/* --- passwords ---------------------------------------------------------- */

int
store_password(struct store *s, int64_t account, char **out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_PASSWORD, "i", account);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *out = NULL;
    if (rc == SQLITE_ROW) {
        *out = store_column_copy(st, 0);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_set_password_steps(struct store *s, int64_t account, const char *text, int64_t keep,
                         struct report *r)
{
    sqlite3_stmt *set =
        text != NULL ? store_bind(s, ST_SET_PASSWORD, "iti", account, text, now_ms())
                     : store_bind(s, ST_DELETE_PASSWORD, "i", account);

    if (store_run(s, set, r) != 0 ||
        store_run(s, store_bind(s, ST_END_OTHERS, "ii", account, keep), r) != 0)
        return -1;
    return store_run(s, store_bind(s, ST_DELETE_RESET, "i", account), r);
}

int
store_set_password(struct store *s, int64_t account, const char *text, int64_t keep,
                   struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    if (store_set_password_steps(s, account, text, keep, r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}

/* --- sessions ----------------------------------------------------------- */

void
session_free(struct session *s)
{
    free(s->label);
    *s = (struct session){0};
}

void
sessions_free(struct sessions *list)
{
    for (size_t i = 0; i < list->count; i++)
        session_free(&list->row[i]);
    free(list->row);
    *list = (struct sessions){0};
}

/* The columns of SELECT_SESSIONS, which begin at `first`. */
static struct session
session_read(sqlite3_stmt *st, int first)
{
    return (struct session){.id = sqlite3_column_int64(st, first),
                            .account = sqlite3_column_int64(st, first + 1),
                            .label = store_column_copy(st, first + 2),
                            .created_ms = sqlite3_column_int64(st, first + 3),
                            .used_ms = sqlite3_column_int64(st, first + 4),
                            .expires_ms = sqlite3_column_int64(st, first + 5)};
}

int
store_add_session(struct store *s, const struct new_session *n, struct report *r)
{
    const int64_t now = now_ms();

    if (store_begin(s, r) != 0)
        return -1;
    if (store_run(
            s, store_bind(s, ST_END_OLD, "iii", n->account, now, now - SESSION_IDLE_MS),
            r) != 0 ||
        store_run(
            s, store_bind(s, ST_END_BEYOND, "ii", n->account, (int64_t)SESSIONS_MAX - 1),
            r) != 0 ||
        store_run(s,
                  store_bind(s, ST_ADD_SESSION, "ittii", n->account, n->hash, n->label,
                             now, n->expires_ms),
                  r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}

int
store_session(struct store *s, const char *hash, bool *found, struct session *session,
              struct account *account, struct report *r)
{
    const int64_t now = now_ms();
    sqlite3_stmt *st = store_bind(s, ST_SESSION, "tii", hash, now, now - SESSION_IDLE_MS);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (*found) {
        *account = account_read(st);
        *session = session_read(st, ACCOUNT_COLUMN_COUNT);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_sessions(struct store *s, int64_t account, struct sessions *out, struct report *r)
{
    const int64_t now = now_ms();
    sqlite3_stmt *st =
        store_bind(s, ST_SESSIONS, "iii", account, now, now - SESSION_IDLE_MS);
    struct sessions list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] = session_read(st, 0);
    }
    if (rc != SQLITE_DONE) {
        sessions_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_end_session(struct store *s, int64_t account, int64_t id, bool *found,
                  struct report *r)
{
    return account_change(s, store_bind(s, ST_END_SESSION, "ii", account, id), found, r);
}

int
store_session_used(struct store *s, int64_t id, int64_t now, struct report *r)
{
    return account_note_use(s, store_bind(s, ST_SESSION_USED, "ii", id, now), r);
}

/* --- reset codes -------------------------------------------------------- */

int
store_add_reset(struct store *s, int64_t account, const char *hash, int64_t expires_ms,
                struct report *r)
{
    return store_run(s, store_bind(s, ST_ADD_RESET, "iti", account, hash, expires_ms), r);
}

int
store_reset(struct store *s, const char *hash, bool *found, struct account *out,
            struct report *r)
{
    return account_ask(s, store_bind(s, ST_RESET, "ti", hash, now_ms()), found, out, r);
}

int
store_use_reset(struct store *s, const char *hash, const char *text, bool *found,
                struct report *r)
{
    struct account a = {0};
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = store_reset(s, hash, found, &a, r);
    if (rc == 0 && *found)
        rc = store_set_password_steps(s, a.id, text, 0, r);
    account_free(&a);
    if (rc == 0)
        return store_commit(s, r);
    store_rollback(s);
    return -1;
}
