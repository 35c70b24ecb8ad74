/* Groups in the store, and the places in them. */
#include "record/groups.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/assignments.h"
#include "record/groups_rows.h"
#include "record/store_statements.h"

#include <stdlib.h>

/* --- rows ---------------------------------------------------------------- */

void
group_free(struct group *g)
{
    free(g->name);
    *g = (struct group){0};
}

void
groups_free(struct groups *list)
{
    for (size_t i = 0; i < list->count; i++)
        group_free(&list->row[i]);
    free(list->row);
    *list = (struct groups){0};
}

void
group_places_free(struct group_places *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].user);
        free(list->row[i].full_name);
        free(list->row[i].student_id);
    }
    free(list->row);
    *list = (struct group_places){0};
}

static struct group
group_read(sqlite3_stmt *st)
{
    const bool place = sqlite3_column_int(st, 4) != 0;
    const bool joined = sqlite3_column_int(st, 5) != 0;
    const bool teacher = sqlite3_column_int(st, 6) != 0;

    return (struct group){.id = sqlite3_column_int64(st, 0),
                          .name = store_column_copy(st, 1),
                          .created_ms = sqlite3_column_int64(st, 2),
                          .members = sqlite3_column_int64(st, 3),
                          .standing = !place    ? IN_GROUP_NONE
                                      : !joined ? IN_GROUP_ASKED
                                      : teacher ? IN_GROUP_TEACHER
                                                : IN_GROUP_MEMBER};
}

/* --- groups -------------------------------------------------------------- */

static int
add_group_steps(struct store *s, const char *name, int64_t teacher, bool *taken,
                struct report *r)
{
    if (store_run(s, store_bind(s, ST_ADD_GROUP, "ti", name, now_ms()), r) != 0)
        return -1;
    *taken = sqlite3_changes(s->db) == 0;
    if (*taken)
        return 0;
    return store_run(s,
                     store_bind(s, ST_ADD_PLACE, "iiiii",
                                (int64_t)sqlite3_last_insert_rowid(s->db), teacher,
                                (int64_t)1, (int64_t)1, now_ms()),
                     r);
}

int
store_add_group(struct store *s, const char *name, int64_t teacher, bool *taken,
                struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    if (add_group_steps(s, name, teacher, taken, r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}

int
store_group(struct store *s, const char *name, int64_t account, bool *found,
            struct group *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_GROUP, "ti", name, account);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (*found) {
        *out = group_read(st);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_groups(struct store *s, int64_t account, bool all, struct groups *out,
             struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_GROUPS, "ii", account, (int64_t)all);
    struct groups list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] = group_read(st);
    }
    if (rc != SQLITE_DONE) {
        groups_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

/* --- places -------------------------------------------------------------- */

static int
places_read(struct store *s, sqlite3_stmt *st, struct group_places *out, struct report *r)
{
    struct group_places list = {0};
    size_t capacity = 0;
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        if (list.count == capacity) {
            capacity = capacity != 0 ? capacity * 2 : 32;
            list.row = xrealloc(list.row, capacity * sizeof *list.row);
        }
        list.row[list.count++] =
            (struct group_place){.account = sqlite3_column_int64(st, 0),
                                 .user = store_column_copy(st, 1),
                                 .full_name = store_column_copy(st, 2),
                                 .student_id = store_column_copy(st, 3),
                                 .teacher = sqlite3_column_int(st, 4) != 0,
                                 .joined = sqlite3_column_int(st, 5) != 0,
                                 .reserved = sqlite3_column_int(st, 6) != 0,
                                 .since_ms = sqlite3_column_int64(st, 7)};
    }
    if (rc != SQLITE_DONE) {
        group_places_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_group_places(struct store *s, int64_t group, struct group_places *out,
                   struct report *r)
{
    return places_read(s, store_bind(s, ST_GROUP_PLACES, "i", group), out, r);
}

int
store_group_place(struct store *s, int64_t group, const char *user,
                  struct group_places *out, struct report *r)
{
    return places_read(s, store_bind(s, ST_GROUP_PLACE, "it", group, user), out, r);
}

int
store_group_ranking(struct store *s, int64_t group, const struct board *b,
                    struct ranking **out, struct report *r)
{
    struct board_entries list = {0};
    struct ranked *entry;
    const int rc = store_add_entries(
        s,
        store_bind(s, ST_GROUP_ENTRIES, "ittt", group, b->problem, b->device, b->meaning),
        &list, r);

    if (rc == 0) {
        entry = xcalloc(list.count + 1, sizeof *entry);
        for (size_t i = 0; i < list.count; i++)
            entry[i] = list.row[i].ranked;
        *out = ranking_of(entry, list.count);
        free(entry);
    }
    board_entries_free(&list);
    return rc;
}

int
group_count(struct store *s, int64_t group, int64_t *places, int64_t *teachers,
            struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_GROUP_COUNT, "i", group);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *places = sqlite3_column_int64(st, 0);
    *teachers = sqlite3_column_int64(st, 1);
    sqlite3_reset(st);
    return 0;
}

int
store_group_teachers(struct store *s, int64_t group, int64_t *count, struct report *r)
{
    int64_t places;

    return group_count(s, group, &places, count, r);
}

int
store_set_teacher(struct store *s, int64_t group, int64_t account, bool teacher,
                  struct report *r)
{
    return store_run(
        s, store_bind(s, ST_SET_TEACHER, "iii", group, account, (int64_t)teacher), r);
}

static int
leave_steps(struct store *s, int64_t group, const struct group_place *place,
            struct report *r)
{
    if (store_run(s, store_bind(s, ST_LEAVE_EXTENSIONS, "ii", group, place->account),
                  r) != 0 ||
        store_run(s, store_bind(s, ST_REMOVE_PLACE, "ii", group, place->account), r) !=
            0 ||
        store_run(s, store_bind(s, ST_WITHDRAW_OF_PLACE, "it", group, place->user), r) !=
            0)
        return -1;
    return store_run(s, store_bind(s, ST_FREE_NAME, "i", place->account), r);
}

int
store_leave_group(struct store *s, int64_t group, const struct group_place *place,
                  struct report *r)
{
    if (store_begin(s, r) != 0)
        return -1;
    if (leave_steps(s, group, place, r) != 0) {
        store_rollback(s);
        return -1;
    }
    return store_commit(s, r);
}

static int
drop_assignments(struct store *s, int64_t group, struct report *r)
{
    struct assignments list;
    int rc = store_assignments(s, group, 0, &list, r);

    if (rc != 0)
        return -1;
    for (size_t i = 0; i < list.count && rc == 0; i++)
        rc = store_drop_assignment_steps(s, group, list.row[i].name, r);
    assignments_free(&list);
    return rc;
}

static int
delete_group_steps(struct store *s, int64_t group, const struct group_places *places,
                   struct report *r)
{
    static const enum statement STEPS[] = {ST_DELETE_GROUP_CODES, ST_FORGET_GROUP,
                                           ST_DELETE_GROUP};

    for (size_t i = 0; i < places->count; i++)
        if (leave_steps(s, group, &places->row[i], r) != 0)
            return -1;
    if (drop_assignments(s, group, r) != 0)
        return -1;
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
        if (store_run(s, store_bind(s, STEPS[i], "i", group), r) != 0)
            return -1;
    return 0;
}

int
store_delete_group(struct store *s, int64_t group, struct report *r)
{
    struct group_places places = {0};
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = store_group_places(s, group, &places, r);
    if (rc == 0)
        rc = delete_group_steps(s, group, &places, r);
    if (rc != 0)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    group_places_free(&places);
    return rc;
}
