/* How people get into a group: rosters, invitations and codes. */
#include "base/buf.h"
#include "base/file.h"
#include "record/accounts_rows.h"
#include "record/groups_rows.h"
#include "record/store_statements.h"

#include <stdlib.h>
#include <string.h>

int
group_places_of(struct store *s, int64_t account, int64_t group, int64_t *places,
                bool *here, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_PLACES_OF, "ii", account, group);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *places = sqlite3_column_int64(st, 0);
    *here = sqlite3_column_int64(st, 1) > 0;
    sqlite3_reset(st);
    return 0;
}

/* --- rosters ------------------------------------------------------------- */

static int
invite_to_group(struct store *s, int64_t group, const char *name, int64_t expires_ms,
                char invitation[SECRET_BYTES], struct report *r)
{
    char hash[SECRET_HASH_BYTES];

    secret_new(INVITATION_PREFIX, invitation);
    secret_hash(invitation, hash);
    return store_run(s,
                     store_bind(s, ST_INVITE_TO_GROUP, "ttiii", hash, name, now_ms(),
                                expires_ms, group),
                     r);
}

static int
has_submitted(struct store *s, int64_t account, bool *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_HAS_SUBMITTED, "i", account);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *out = sqlite3_column_int(st, 0) != 0;
    sqlite3_reset(st);
    return 0;
}

/* Says what becomes of a row whose name is there already. */
static int
enrol_known(struct store *s, int64_t group, const struct account *a,
            enum enrolment *result, struct report *r)
{
    int64_t places = 0;
    bool here = false, submitted = false;

    if (group_places_of(s, a->id, group, &places, &here, r) != 0 ||
        has_submitted(s, a->id, &submitted, r) != 0)
        return -1;
    *result = here                         ? ENROL_KEPT
              : a->state == ACCOUNT_ACTIVE ? ENROL_ASKED
              : a->state == ACCOUNT_CLOSED ? ENROL_CLOSED
              : submitted                  ? ENROL_OLD_NAME
              : places > 0                 ? ENROL_RESERVED
                                           : ENROL_INVITED;
    return 0;
}

/* Finds the row of `users` for a name, or makes one that reserves it. */
static int
enrol_find(struct store *s, int64_t group, struct enrolled *row, int64_t *account,
           struct report *r)
{
    struct account known = {0};
    bool found = false;
    int rc = 0;

    if (account_ask(s, store_bind(s, ST_NAMESAKE, "t", row->user), &found, &known, r) !=
        0)
        return -1;
    row->result = ENROL_INVITED;
    *account = known.id;
    if (found) {
        rc = enrol_known(s, group, &known, &row->result, r);
    } else {
        rc = store_run(s, store_bind(s, ST_RESERVE, "ti", row->user, now_ms()), r);
        *account = sqlite3_last_insert_rowid(s->db);
    }
    account_free(&known);
    return rc;
}

static int
enrol_row(struct store *s, int64_t group, struct enrolled *row, int64_t expires_ms,
          struct report *r)
{
    int64_t account, places = 0, teachers = 0;
    int rc = 0;

    if (enrol_find(s, group, row, &account, r) != 0)
        return -1;
    if (row->result > ENROL_KEPT)
        return 0;
    if (row->result != ENROL_KEPT) {
        if (group_count(s, group, &places, &teachers, r) != 0)
            return -1;
        if (places >= GROUP_PLACES_MAX) {
            row->result = ENROL_FULL;
            return 0;
        }
        rc = store_run(s,
                       store_bind(s, ST_ADD_PLACE, "iiiii", group, account, (int64_t)0,
                                  (int64_t)0, now_ms()),
                       r);
    }
    if (rc == 0)
        rc = store_run(s,
                       store_bind(s, ST_NAME_PLACE, "iitt", group, account,
                                  row->full_name, row->student_id),
                       r);
    if (rc == 0 && row->result == ENROL_INVITED)
        rc = invite_to_group(s, group, row->user, expires_ms, row->invitation, r);
    return rc;
}

int
store_enrol(struct store *s, int64_t group, struct enrolled *rows, size_t count,
            int64_t expires_ms, size_t *refused, struct report *r)
{
    size_t i;

    if (store_begin(s, r) != 0)
        return -1;
    for (i = 0; i < count; i++) {
        if (enrol_row(s, group, &rows[i], expires_ms, r) != 0) {
            store_rollback(s);
            return -1;
        }
        if (rows[i].result > ENROL_KEPT)
            break;
    }
    *refused = i;
    if (i < count) {
        store_rollback(s);
        return 0;
    }
    return store_commit(s, r);
}

int
store_invite_again(struct store *s, int64_t group, const struct group_place *place,
                   int64_t expires_ms, char invitation[SECRET_BYTES], struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    if (store_run(s, store_bind(s, ST_WITHDRAW_OF_PLACE, "it", group, place->user), r) !=
            0 ||
        invite_to_group(s, group, place->user, expires_ms, invitation, r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}

/* --- codes --------------------------------------------------------------- */

int
store_group_codes(struct store *s, int64_t group, struct group_codes *out,
                  struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_GROUP_CODES, "ii", group, now_ms());
    struct group_codes list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] =
            (struct group_code){.created_ms = sqlite3_column_int64(st, 0),
                                .expires_ms = sqlite3_column_int64(st, 1),
                                .uses_left = sqlite3_column_int64(st, 2)};
    }
    if (rc != SQLITE_DONE) {
        free(list.row);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_add_group_code(struct store *s, int64_t group, const char *hash, int64_t expires_ms,
                     int64_t uses, bool *full, struct report *r)
{
    struct group_codes codes = {0};

    if (store_run(s, store_bind(s, ST_DROP_OLD_CODES, "ii", group, now_ms()), r) != 0 ||
        store_group_codes(s, group, &codes, r) != 0)
        return -1;
    free(codes.row);
    *full = codes.count >= GROUP_CODES_MAX;
    if (*full)
        return 0;
    return store_run(s,
                     store_bind(s, ST_ADD_GROUP_CODE, "itiii", group, hash, now_ms(),
                                expires_ms, uses),
                     r);
}

int
store_withdraw_group_codes(struct store *s, int64_t group, struct report *r)
{
    return store_run(s, store_bind(s, ST_DELETE_GROUP_CODES, "i", group), r);
}

int
group_of_code(struct store *s, const char *hash, int64_t *group, char **name,
              struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_GROUP_CODE, "ti", hash, now_ms());
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *group = 0;
    if (rc == SQLITE_ROW) {
        *group = sqlite3_column_int64(st, 0);
        if (name != NULL)
            *name = store_column_copy(st, 1);
        sqlite3_reset(st);
    }
    return 0;
}

int
group_join_steps(struct store *s, int64_t group, int64_t account, bool *full,
                 struct report *r)
{
    int64_t places = 0, teachers = 0, others = 0;
    bool here = false;

    if (group_count(s, group, &places, &teachers, r) != 0 ||
        group_places_of(s, account, group, &others, &here, r) != 0)
        return -1;
    *full = !here && places >= GROUP_PLACES_MAX;
    if (*full)
        return 0;
    return store_run(s,
                     store_bind(s, ST_ADD_PLACE, "iiiii", group, account, (int64_t)0,
                                (int64_t)1, now_ms()),
                     r);
}

static int
join_group_steps(struct store *s, const char *hash, int64_t account,
                 enum join_group_result *result, char **group, struct report *r)
{
    int64_t id = 0;
    bool full = false;

    *result = JOIN_GROUP_UNKNOWN;
    if (group_of_code(s, hash, &id, group, r) != 0)
        return -1;
    if (id == 0)
        return 0;
    if (group_join_steps(s, id, account, &full, r) != 0)
        return -1;
    *result = full ? JOIN_GROUP_FULL : JOIN_GROUP_DONE;
    /* A person who had joined before changes no row. */
    if (full || sqlite3_changes(s->db) == 0)
        return 0;
    return store_run(s, store_bind(s, ST_USE_GROUP_CODE, "t", hash), r);
}

int
store_join_group(struct store *s, const char *hash, int64_t account,
                 enum join_group_result *result, char **group, struct report *r)
{
    char *name = NULL;
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = join_group_steps(s, hash, account, result, &name, r);
    if (rc != 0 || *result != JOIN_GROUP_DONE)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    if (rc == 0 && *result == JOIN_GROUP_DONE)
        *group = name;
    else
        free(name);
    return rc;
}
