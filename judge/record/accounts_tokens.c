/* Tokens and invitations in the store, and joining, which uses an invitation up. */
#include "base/buf.h"
#include "base/file.h"
#include "record/accounts_rows.h"
#include "record/groups_rows.h"
#include "record/store_statements.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- tokens ------------------------------------------------------------- */

void
token_free(struct token *t)
{
    free(t->label);
    *t = (struct token){0};
}

void
tokens_free(struct tokens *list)
{
    for (size_t i = 0; i < list->count; i++)
        token_free(&list->row[i]);
    free(list->row);
    *list = (struct tokens){0};
}

/* The columns of SELECT_TOKENS, which begin at `first`. */
static struct token
token_read(sqlite3_stmt *st, int first)
{
    return (struct token){.id = sqlite3_column_int64(st, first),
                          .account = sqlite3_column_int64(st, first + 1),
                          .parent = sqlite3_column_int64(st, first + 2),
                          .scopes = (unsigned)sqlite3_column_int(st, first + 3),
                          .label = store_column_copy(st, first + 4),
                          .created_ms = sqlite3_column_int64(st, first + 5),
                          .expires_ms = sqlite3_column_int64(st, first + 6),
                          .used_ms = sqlite3_column_int64(st, first + 7),
                          .revoked_ms = sqlite3_column_int64(st, first + 8),
                          .worker_roles = (unsigned)sqlite3_column_int(st, first + 9)};
}

int
store_add_token(struct store *s, const struct new_token *n, int64_t *id, struct report *r)
{
    sqlite3_stmt *st =
        store_bind(s, ST_ADD_TOKEN, "iittiiii", n->account, n->parent, n->hash, n->label,
                   (int64_t)n->scopes, now_ms(), n->expires_ms, (int64_t)n->worker_roles);

    if (store_run(s, st, r) != 0)
        return -1;
    *id = sqlite3_last_insert_rowid(s->db);
    return 0;
}

static int
token_take(struct store *s, sqlite3_stmt *st, bool *found, struct token *token,
           struct account *account, struct report *r)
{
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (*found) {
        *account = account_read(st);
        *token = token_read(st, ACCOUNT_COLUMN_COUNT);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_token(struct store *s, const char *hash, bool *found, struct token *token,
            struct account *account, struct report *r)
{
    return token_take(s, store_bind(s, ST_TOKEN, "t", hash), found, token, account, r);
}

int
store_token_of_id(struct store *s, int64_t id, bool *found, struct token *token,
                  struct account *account, struct report *r)
{
    return token_take(s, store_bind(s, ST_TOKEN_OF_ID, "i", id), found, token, account,
                      r);
}

int
store_tokens(struct store *s, int64_t account, struct tokens *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_TOKENS, "i", account);
    struct tokens list = {0};
    size_t capacity = 0;
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        if (list.count == capacity) {
            capacity = capacity != 0 ? capacity * 2 : 8;
            list.row = xrealloc(list.row, capacity * sizeof *list.row);
        }
        list.row[list.count++] = token_read(st, 0);
    }
    if (rc != SQLITE_DONE) {
        tokens_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_revoke_token(struct store *s, int64_t account, int64_t id, bool *found,
                   struct report *r)
{
    return account_change(s, store_bind(s, ST_REVOKE_TOKEN, "iii", account, id, now_ms()),
                          found, r);
}

int
store_token_used(struct store *s, int64_t id, int64_t now, struct report *r)
{
    return account_note_use(s, store_bind(s, ST_TOKEN_USED, "ii", id, now), r);
}

/* --- joining ------------------------------------------------------------ */

int
store_invite(struct store *s, const struct new_invitation *n, struct report *r)
{
    return store_run(s,
                     store_bind(s, ST_INVITE, "tttii", n->hash, n->name,
                                role_name(n->role), now_ms(), n->expires_ms),
                     r);
}

int
store_invitations(struct store *s, const char *name, struct invitations *out,
                  struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_INVITATIONS, "t", name);
    struct invitations list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] =
            (struct invitation){.role = column_role(st, 0),
                                .created_ms = sqlite3_column_int64(st, 1),
                                .expires_ms = sqlite3_column_int64(st, 2),
                                .used_ms = sqlite3_column_int64(st, 3)};
    }
    if (rc != SQLITE_DONE) {
        free(list.row);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_withdraw_invitations(struct store *s, enum role role, struct report *r)
{
    return store_run(s, store_bind(s, ST_WITHDRAW, "ti", role_name(role), now_ms()), r);
}

/* What an invitation allows. Without one, it is what everybody may. */
struct admission {
    enum role role;
    bool named;    /* it names the name that is asked for */
    int64_t group; /* the group that it leads to; 0: none */
};

/* Looks at the code of a group, and uses it once. */
static int
join_admit_by_code(struct store *s, const struct join *j, struct admission *out,
                   enum join_result *result, struct report *r)
{
    if (group_of_code(s, j->invitation, &out->group, NULL, r) != 0)
        return -1;
    if (out->group == 0 || j->admins_only)
        return 0;
    *result = JOIN_DONE;
    return store_run(s, store_bind(s, ST_USE_GROUP_CODE, "t", j->invitation), r);
}

/* Looks at the invitation, and marks it used. */
static int
join_admit(struct store *s, const struct join *j, struct admission *out,
           enum join_result *result, struct report *r)
{
    struct admission a = {.role = ROLE_MEMBER};
    sqlite3_stmt *st;
    const char *name;
    int rc;

    *result = JOIN_DONE;
    *out = a;
    if (j->invitation == NULL)
        return 0;
    st = store_bind(s, ST_INVITATION, "ti", j->invitation, now_ms());
    rc = store_step(s, st, r);
    if (rc == -1)
        return -1;
    *result = JOIN_UNKNOWN;
    if (rc != SQLITE_ROW)
        return join_admit_by_code(s, j, out, result, r);
    name = (const char *)sqlite3_column_text(st, 0);
    a.named = name != NULL && strcasecmp(name, j->name) == 0;
    role_parse((const char *)sqlite3_column_text(st, 1), &a.role);
    a.group = sqlite3_column_int64(st, 2);
    if (name != NULL && !a.named)
        *result = JOIN_OTHER_NAME;
    else if (!j->admins_only || a.role == ROLE_ADMIN)
        *result = JOIN_DONE;
    sqlite3_reset(st);
    *out = a;
    return *result == JOIN_DONE
               ? store_run(
                     s, store_bind(s, ST_USE_INVITATION, "ti", j->invitation, now_ms()),
                     r)
               : 0;
}

/* Is the name not to be had? An invitation of a group is only for a name that this group
 * has reserved, so that a teacher gets into nobody's account by one. */
static int
join_look_at_name(struct store *s, const struct account *namesake,
                  const struct admission *a, enum join_result *result, struct report *r)
{
    const bool claims = namesake->state == ACCOUNT_UNCLAIMED;
    int64_t places = 0;
    bool here = false;

    if (namesake->state == ACCOUNT_CLOSED && a->named)
        *result = JOIN_CLOSED;
    else if (!a->named && !(claims && a->role == ROLE_ADMIN))
        *result = JOIN_TAKEN;
    if (*result != JOIN_DONE || a->group == 0)
        return 0;
    if (group_places_of(s, namesake->id, a->group, &places, &here, r) != 0)
        return -1;
    if (!claims || !here)
        *result = JOIN_TAKEN;
    return 0;
}

/* Makes the account, claims it, or finds that the name is not to be had. */
static int
join_take_name(struct store *s, const struct join *j, const struct admission *a,
               enum join_result *result, struct account *out, struct report *r)
{
    struct account namesake = {0};
    bool found = false, claims;
    int64_t id;
    int rc = 0;

    if (account_ask(s, store_bind(s, ST_NAMESAKE, "t", j->name), &found, &namesake, r) !=
        0)
        return -1;
    id = namesake.id;
    claims = found && namesake.state == ACCOUNT_UNCLAIMED;
    if (found)
        rc = join_look_at_name(s, &namesake, a, result, r);
    account_free(&namesake);
    if (rc != 0 || *result != JOIN_DONE)
        return rc;
    if (!found) {
        if (store_run(s,
                      store_bind(s, ST_NEW_ACCOUNT, "tit", j->name, now_ms(),
                                 role_name(a->role)),
                      r) != 0)
            return -1;
        id = sqlite3_last_insert_rowid(s->db);
    } else if (claims &&
               store_run(s, store_bind(s, ST_CLAIM, "it", id, role_name(a->role)), r) !=
                   0) {
        return -1;
    }
    return account_ask(s, store_bind(s, ST_ACCOUNT_BY_ID, "i", id), &found, out, r);
}

static int
join_steps(struct store *s, const struct join *j, enum join_result *result,
           struct account *out, struct report *r)
{
    struct new_token token = {.hash = j->token, .label = j->label, .scopes = SCOPES_ALL};
    struct admission admission;
    bool full = false;
    int64_t id;

    if (join_admit(s, j, &admission, result, r) != 0)
        return -1;
    if (*result == JOIN_DONE && join_take_name(s, j, &admission, result, out, r) != 0)
        return -1;
    if (*result != JOIN_DONE)
        return 0;
    if (admission.group != 0 &&
        group_join_steps(s, admission.group, out->id, &full, r) != 0)
        return -1;
    if (full) {
        account_free(out);
        *result = JOIN_FULL;
        return 0;
    }
    if (j->password != NULL &&
        store_set_password_steps(s, out->id, j->password, 0, r) != 0)
        return -1;
    token.account = out->id;
    return store_add_token(s, &token, &id, r);
}

int
store_join(struct store *s, const struct join *j, enum join_result *result,
           struct account *out, struct report *r)
{
    struct account joined = {0};

    if (store_begin(s, r) != 0)
        return -1;
    if (join_steps(s, j, result, &joined, r) != 0) {
        store_rollback(s);
        account_free(&joined);
        return -1;
    }
    if (*result != JOIN_DONE || j->only_asks) {
        store_rollback(s);
        account_free(&joined);
        return 0;
    }
    if (store_commit(s, r) != 0) {
        account_free(&joined);
        return -1;
    }
    *out = joined;
    return 0;
}
