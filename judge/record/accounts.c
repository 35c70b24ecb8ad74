/* Accounts in the store: names, roles, states, and the assignment of older names. */
#include "record/accounts.h"

#include "base/file.h"
#include "base/hex.h"
#include "problem/names.h"
#include "record/accounts_rows.h"
#include "record/store_statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_BYTES (2 * (USER_BYTES_MAX + 1) + 3)

/* --- words and secrets -------------------------------------------------- */

static const char *const ROLE_NAMES[] = {
#define X(name, text) text,
    ROLES(X)
#undef X
};

static const char *const STATE_NAMES[] = {
#define X(name, text) text,
    STATES(X)
#undef X
};

static const struct {
    enum scope scope;
    const char *name;
} SCOPE_NAMES[] = {
#define X(name, bit, text) {SCOPE_##name, text},
    SCOPES(X)
#undef X
};

const char *
role_name(enum role role)
{
    return ROLE_NAMES[role];
}

int
role_parse(const char *word, enum role *out)
{
    for (int i = ROLE_MEMBER; i <= ROLE_ADMIN; i++)
        if (strcmp(ROLE_NAMES[i], word) == 0) {
            *out = (enum role)i;
            return 0;
        }
    return -1;
}

const char *
account_state_name(enum account_state state)
{
    return STATE_NAMES[state];
}

int
account_state_parse(const char *word, enum account_state *out)
{
    for (int i = ACCOUNT_UNCLAIMED; i <= ACCOUNT_CLOSED; i++)
        if (strcmp(STATE_NAMES[i], word) == 0) {
            *out = (enum account_state)i;
            return 0;
        }
    return -1;
}

unsigned
scope_parse(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof SCOPE_NAMES / sizeof *SCOPE_NAMES; i++)
        if (strlen(SCOPE_NAMES[i].name) == len &&
            memcmp(SCOPE_NAMES[i].name, word, len) == 0)
            return SCOPE_NAMES[i].scope;
    return 0;
}

const char *
scope_name(enum scope scope)
{
    for (size_t i = 0; i < sizeof SCOPE_NAMES / sizeof *SCOPE_NAMES; i++)
        if (SCOPE_NAMES[i].scope == scope)
            return SCOPE_NAMES[i].name;
    return "";
}

void
secret_new(const char *prefix, char out[SECRET_BYTES])
{
    snprintf(out, SECRET_BYTES, "%.4s", prefix);
    hex_draw(out + 4, 32);
}

void
secret_hash(const char *secret, char out[SECRET_HASH_BYTES])
{
    hash_hex(secret, strlen(secret), out);
}

/* --- rows --------------------------------------------------------------- */

void
account_free(struct account *a)
{
    free(a->name);
    free(a->display_name);
    *a = (struct account){0};
}

void
accounts_free(struct accounts *list)
{
    for (size_t i = 0; i < list->count; i++)
        account_free(&list->row[i]);
    free(list->row);
    *list = (struct accounts){0};
}

/* The schema's CHECKs allow only words that are known here. A newer schema is not opened.
 */
enum role
column_role(sqlite3_stmt *st, int column)
{
    enum role role = ROLE_MEMBER;

    role_parse((const char *)sqlite3_column_text(st, column), &role);
    return role;
}

struct account
account_read(sqlite3_stmt *st)
{
    struct account a = {.id = sqlite3_column_int64(st, 0),
                        .name = store_column_copy(st, 1),
                        .role = column_role(st, 2),
                        .created_ms = sqlite3_column_int64(st, 4),
                        .deleted_ms = sqlite3_column_int64(st, 5),
                        .display_name = store_column_copy(st, 6)};

    account_state_parse((const char *)sqlite3_column_text(st, 3), &a.state);
    return a;
}

int
account_ask(struct store *s, sqlite3_stmt *st, bool *found, struct account *out,
            struct report *r)
{
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (*found) {
        *out = account_read(st);
        sqlite3_reset(st);
    }
    return 0;
}

int
account_change(struct store *s, sqlite3_stmt *st, bool *found, struct report *r)
{
    if (store_run(s, st, r) != 0)
        return -1;
    *found = sqlite3_changes(s->db) > 0;
    return 0;
}

int
account_note_use(struct store *s, sqlite3_stmt *st, struct report *r)
{
    const uint64_t rights = s->rights;
    const int rc = store_run(s, st, r);

    s->rights = rights;
    return rc;
}

int
store_account(struct store *s, const char *name, bool *found, struct account *out,
              struct report *r)
{
    return account_ask(s, store_bind(s, ST_ACCOUNT, "t", name), found, out, r);
}

int
store_unclaimed(struct store *s, const char *name, bool *found, struct account *out,
                struct report *r)
{
    return account_ask(s, store_bind(s, ST_UNCLAIMED, "t", name), found, out, r);
}

int
store_ensure_account(struct store *s, const char *name, struct account *out,
                     struct report *r)
{
    struct account a = {0};
    bool found = false;
    int rc;

    if (store_account(s, name, &found, &a, r) != 0)
        return -1;
    if (found && a.state != ACCOUNT_UNCLAIMED) {
        *out = a;
        return 0;
    }
    if (found)
        rc = store_run(s, store_bind(s, ST_CLAIM, "it", a.id, role_name(ROLE_MEMBER)), r);
    else
        rc = store_run(
            s,
            store_bind(s, ST_NEW_ACCOUNT, "tit", name, now_ms(), role_name(ROLE_MEMBER)),
            r);
    account_free(&a);
    return rc == 0 ? store_account(s, name, &found, out, r) : -1;
}

/* The pattern of names that have `part` in them. A longer part than a name may be has no
 * name, as its beginning has none. */
static void
pattern_of(const char *part, char out[PATTERN_BYTES])
{
    size_t len = 0;

    out[len++] = '%';
    for (size_t i = 0; i <= USER_BYTES_MAX && part[i] != '\0'; i++) {
        if (strchr("%_!", part[i]) != NULL)
            out[len++] = '!';
        out[len++] = part[i];
    }
    out[len++] = '%';
    out[len] = '\0';
}

int
store_accounts(struct store *s, const char *after, const char *part, int64_t most,
               struct accounts *out, struct report *r)
{
    char pattern[PATTERN_BYTES];
    struct accounts list = {0};
    size_t capacity = 0;
    sqlite3_stmt *st;
    int rc;

    pattern_of(part, pattern);
    st = store_bind(s, ST_ACCOUNTS, "tti", after, pattern, most);
    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        if (list.count == capacity) {
            capacity = capacity != 0 ? capacity * 2 : 16;
            list.row = xrealloc(list.row, capacity * sizeof *list.row);
        }
        list.row[list.count] = account_read(st);
        list.row[list.count].submissions = sqlite3_column_int64(st, ACCOUNT_COLUMN_COUNT);
        list.row[list.count++].seen_ms =
            sqlite3_column_int64(st, ACCOUNT_COLUMN_COUNT + 1);
    }
    if (rc != SQLITE_DONE) {
        accounts_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_accounts_end(struct store *s, const char *after, const char *part, int64_t most,
                   char **last, struct report *r)
{
    char pattern[PATTERN_BYTES], *name = NULL;
    sqlite3_stmt *st;
    int rc;

    pattern_of(part, pattern);
    st = store_bind(s, ST_ACCOUNTS_END, "tti", after, pattern, most);
    rc = store_step(s, st, r);
    if (rc == SQLITE_ROW) {
        name = store_column_copy(st, 0);
        rc = store_step(s, st, r);
    }
    if (rc == SQLITE_ROW)
        sqlite3_reset(st);
    if (rc != SQLITE_ROW)
        free(name);
    if (rc == -1)
        return -1;
    *last = rc == SQLITE_ROW ? name : NULL;
    return 0;
}

/* Runs a statement that gives one row of one truth. */
static int
account_exists(struct store *s, sqlite3_stmt *st, bool *out, struct report *r)
{
    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *out = sqlite3_column_int(st, 0) != 0;
    sqlite3_reset(st);
    return 0;
}

int
store_has_account(struct store *s, enum role role, bool *out, struct report *r)
{
    return account_exists(s, store_bind(s, ST_HAS_ACCOUNT, "t", role_name(role)), out, r);
}

int
store_has_solved(struct store *s, const char *user, const char *problem, bool *out,
                 struct report *r)
{
    return account_exists(s, store_bind(s, ST_HAS_SOLVED, "tt", user, problem), out, r);
}

int
store_recent(struct store *s, const char *user, int64_t most, int64_t since_ms,
             int64_t *count, int64_t *oldest_ms, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_RECENT, "tii", user, most, since_ms);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *count = sqlite3_column_int64(st, 0);
    *oldest_ms = sqlite3_column_int64(st, 1);
    sqlite3_reset(st);
    return 0;
}

int
store_device_use(struct store *s, const char *user, int64_t most, int64_t since_ms,
                 int64_t *used_ms, int64_t *full_ms, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_DEVICE_USE, "ti", user, since_ms);
    int64_t sum = 0, full = 0;
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        sum += sqlite3_column_int64(st, 1);
        if (full == 0 && sum >= most)
            full = sqlite3_column_int64(st, 0);
    }
    if (rc != SQLITE_DONE)
        return -1;
    *used_ms = sum;
    *full_ms = full;
    return 0;
}

int
store_set_role(struct store *s, int64_t id, enum role role, struct report *r)
{
    return store_run(s, store_bind(s, ST_SET_ROLE, "it", id, role_name(role)), r);
}

int
store_set_display_name(struct store *s, int64_t id, const char *name, struct report *r)
{
    return store_run(s, store_bind(s, ST_SET_DISPLAY_NAME, "it", id, name), r);
}

int
store_set_state(struct store *s, int64_t id, enum account_state state, struct report *r)
{
    return store_run(s, store_bind(s, ST_SET_STATE, "it", id, account_state_name(state)),
                     r);
}

int
store_assign(struct store *s, int64_t from, int64_t to, struct report *r)
{
    static const enum statement STEPS[] = {ST_ASSIGN_WORSE,     ST_ASSIGN_BEATEN,
                                           ST_ASSIGN_ENTRIES,   ST_ASSIGN_SUBMISSIONS,
                                           ST_ASSIGN_PLACES,    ST_ASSIGN_PLACES_REST,
                                           ST_ASSIGN_EXTENSIONS};
    struct board_entries before = {0}, after = {0};
    int rc = store_begin(s, r);

    if (rc != 0)
        return -1;
    rc = store_entries_of(s, from, to, &before, r);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS && rc == 0; i++)
        rc = store_run(s, store_bind(s, STEPS[i], "ii", from, to), r);
    if (rc == 0)
        rc = store_run(s, store_bind(s, ST_ASSIGN_DROP, "i", from), r);
    if (rc == 0)
        rc = store_entries_of(s, from, to, &after, r);
    if (rc != 0)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    if (rc == 0)
        rankings_replace(s->rankings, &before, &after);
    board_entries_free(&before);
    board_entries_free(&after);
    return rc;
}
