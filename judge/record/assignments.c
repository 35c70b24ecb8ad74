/* Assignments in the store, and the extensions of their closing. */
#include "record/assignments.h"

#include "base/buf.h"
#include "record/groups_rows.h"
#include "record/store_statements.h"

#include <stdlib.h>

/* --- rows ---------------------------------------------------------------- */

void
assignments_free(struct assignments *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct assignment *a = &list->row[i];

        for (size_t j = 0; j < a->count; j++)
            free(a->problem[j]);
        free(a->problem);
        free(a->name);
        free(a->zone);
    }
    free(list->row);
    *list = (struct assignments){0};
}

static int
read_problems(struct store *s, struct assignment *a, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_ASSIGNMENT_PROBLEMS, "i", a->id);
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        a->problem = xrealloc(a->problem, (a->count + 1) * sizeof *a->problem);
        a->problem[a->count++] = store_column_copy(st, 0);
    }
    return rc == SQLITE_DONE ? 0 : -1;
}

int
store_assignments(struct store *s, int64_t group, int64_t account,
                  struct assignments *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_ASSIGNMENTS, "ii", group, account);
    struct assignments list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] =
            (struct assignment){.id = sqlite3_column_int64(st, 0),
                                .name = store_column_copy(st, 1),
                                .zone = store_column_copy(st, 2),
                                .opens_ms = sqlite3_column_int64(st, 3),
                                .closes_ms = sqlite3_column_int64(st, 4),
                                .until_ms = sqlite3_column_int64(st, 5),
                                .hides = sqlite3_column_int(st, 6) != 0};
    }
    rc = rc == SQLITE_DONE ? 0 : -1;
    for (size_t i = 0; i < list.count && rc == 0; i++)
        rc = read_problems(s, &list.row[i], r);
    if (rc != 0)
        assignments_free(&list);
    else
        *out = list;
    return rc;
}

/* --- setting and removing ------------------------------------------------ */

/* *id is 0 where there is none of this name. */
static int
find_assignment(struct store *s, int64_t group, const char *name, int64_t *id,
                struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_ASSIGNMENT_ID, "it", group, name);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *id = 0;
    if (rc == SQLITE_ROW) {
        *id = sqlite3_column_int64(st, 0);
        sqlite3_reset(st);
    }
    return 0;
}

static int
count_others(struct store *s, int64_t group, const char *name, int64_t *count,
             struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_ASSIGNMENT_COUNT, "it", group, name);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *count = sqlite3_column_int64(st, 0);
    sqlite3_reset(st);
    return 0;
}

static int
set_steps(struct store *s, int64_t group, const struct new_assignment *n, bool *full,
          struct report *r)
{
    int64_t others = 0, id = 0;

    if (count_others(s, group, n->name, &others, r) != 0)
        return -1;
    *full = others >= ASSIGNMENTS_MAX;
    if (*full)
        return 0;
    if (store_run(s,
                  store_bind(s, ST_SET_ASSIGNMENT, "ittiii", group, n->name, n->zone,
                             n->opens_ms, n->closes_ms, (int64_t)n->hides),
                  r) != 0 ||
        find_assignment(s, group, n->name, &id, r) != 0 ||
        store_run(s, store_bind(s, ST_DROP_PROBLEMS, "i", id), r) != 0)
        return -1;
    for (size_t i = 0; i < n->count; i++)
        if (store_run(s,
                      store_bind(s, ST_ADD_PROBLEM, "iit", id, (int64_t)i, n->problem[i]),
                      r) != 0)
            return -1;
    return 0;
}

int
store_set_assignment(struct store *s, int64_t group, const struct new_assignment *n,
                     bool *full, struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    if (set_steps(s, group, n, full, r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}

static int
drop_steps(struct store *s, int64_t group, const char *name, bool *found,
           struct report *r)
{
    static const enum statement STEPS[] = {ST_DROP_PROBLEMS, ST_DROP_EXTENSIONS,
                                           ST_DROP_ASSIGNMENT};
    int64_t id = 0;

    if (find_assignment(s, group, name, &id, r) != 0)
        return -1;
    *found = id != 0;
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS && *found; i++)
        if (store_run(s, store_bind(s, STEPS[i], "i", id), r) != 0)
            return -1;
    return 0;
}

int
store_drop_assignment_steps(struct store *s, int64_t group, const char *name,
                            struct report *r)
{
    bool found;

    return drop_steps(s, group, name, &found, r);
}

int
store_drop_assignment(struct store *s, int64_t group, const char *name, bool *found,
                      struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    if (drop_steps(s, group, name, found, r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}

/* --- what is due --------------------------------------------------------- */

void
dues_free(struct dues *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].group);
        free(list->row[i].assignment);
        free(list->row[i].zone);
    }
    free(list->row);
    *list = (struct dues){0};
}

int
store_dues(struct store *s, const char *user, const char *problem, int64_t account,
           struct dues *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_DUE, "tti", user, problem, account);
    struct dues list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        const bool joined = sqlite3_column_int(st, 4) != 0;
        const bool teacher = sqlite3_column_int(st, 5) != 0;

        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] = (struct due){
            .group = store_column_copy(st, 0),
            .assignment = store_column_copy(st, 1),
            .zone = store_column_copy(st, 2),
            .opens_ms = sqlite3_column_int64(st, 6),
            .closes_ms = sqlite3_column_int64(st, 3),
            .standing = !joined   ? IN_GROUP_NONE
                        : teacher ? IN_GROUP_TEACHER
                                  : IN_GROUP_MEMBER,
        };
    }
    if (rc != SQLITE_DONE) {
        dues_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

/* --- what is hidden ------------------------------------------------------ */

void
hidden_problems_free(struct hidden_problems *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->row[i].problem);
    free(list->row);
    *list = (struct hidden_problems){0};
}

int
store_hidden_problems(struct store *s, int64_t at_ms, struct hidden_problems *out,
                      struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_HIDDEN_PROBLEMS, "i", at_ms);
    struct hidden_problems list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] = (struct hidden_problem){
            .problem = store_column_copy(st, 0), .opens_ms = sqlite3_column_int64(st, 1)};
    }
    if (rc != SQLITE_DONE) {
        hidden_problems_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_sees_hidden(struct store *s, int64_t account, bool teaches, const char *problem,
                  int64_t at_ms, bool *sees, struct report *r)
{
    sqlite3_stmt *st =
        store_bind(s, ST_SEES_HIDDEN, "itii", account, problem, at_ms, (int64_t)teaches);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *sees = sqlite3_column_int(st, 0) != 0;
    sqlite3_reset(st);
    return 0;
}

/* --- extensions ---------------------------------------------------------- */

int
store_extend(struct store *s, int64_t group, const char *name, int64_t account,
             int64_t until_ms, bool *found, struct report *r)
{
    int64_t id = 0;

    if (find_assignment(s, group, name, &id, r) != 0)
        return -1;
    *found = id != 0;
    if (id == 0)
        return 0;
    if (until_ms == 0)
        return store_run(s, store_bind(s, ST_UNEXTEND, "ii", id, account), r);
    return store_run(s, store_bind(s, ST_EXTEND, "iii", id, account, until_ms), r);
}

void
extensions_free(struct extensions *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->row[i].user);
    free(list->row);
    *list = (struct extensions){0};
}

int
store_extensions(struct store *s, int64_t assignment, struct extensions *out,
                 struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_EXTENSIONS, "i", assignment);
    struct extensions list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] =
            (struct extension){.user = store_column_copy(st, 0),
                               .account = sqlite3_column_int64(st, 1),
                               .until_ms = sqlite3_column_int64(st, 2)};
    }
    if (rc != SQLITE_DONE) {
        extensions_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}
