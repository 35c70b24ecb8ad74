/* Reads what a user has solved, and when. */
#include "record/solved.h"

#include "record/store_statements.h"

#include <stdlib.h>

/* Runs a statement that gives one row of one number. */
static int
store_read_number(struct store *s, sqlite3_stmt *st, int64_t *out, struct report *r)
{
    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *out = sqlite3_column_int64(st, 0);
    sqlite3_reset(st);
    return 0;
}

int
store_has_entry(struct store *s, int64_t account, bool *out, struct report *r)
{
    int64_t number;

    if (store_read_number(s, store_bind(s, ST_HAS_ENTRY, "i", account), &number, r) != 0)
        return -1;
    *out = number != 0;
    return 0;
}

int
store_solved(struct store *s, int64_t account, const char *problem,
             struct solved_entries *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_SOLVED, "it", account, problem);
    struct solved_entries list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] =
            (struct solved_entry){.board = store_column_copy(st, 0),
                                  .meaning = store_column_copy(st, 1),
                                  .submission = sqlite3_column_int64(st, 2),
                                  .time = {.time_ns = sqlite3_column_double(st, 3),
                                           .low_ns = sqlite3_column_double(st, 4),
                                           .high_ns = sqlite3_column_double(st, 5)},
                                  .created_ms = sqlite3_column_int64(st, 6)};
    }
    if (rc != SQLITE_DONE) {
        solved_entries_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_has_tried(struct store *s, int64_t account, const char *problem, bool *out,
                struct report *r)
{
    int64_t number;

    if (store_read_number(s, store_bind(s, ST_HAS_TRIED, "it", account, problem), &number,
                          r) != 0)
        return -1;
    *out = number != 0;
    return 0;
}

void
solved_entries_free(struct solved_entries *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].board);
        free(list->row[i].meaning);
    }
    free(list->row);
    *list = (struct solved_entries){0};
}

int
store_accepted_between(struct store *s, int64_t account, int64_t from_ms, int64_t to_ms,
                       int64_t most, int64_t *out, struct report *r)
{
    return store_read_number(
        s, store_bind(s, ST_ACCEPTED_BETWEEN, "iiii", account, from_ms, to_ms, most), out,
        r);
}

int
store_accepted_before(struct store *s, int64_t account, int64_t before_ms, int64_t *out,
                      struct report *r)
{
    return store_read_number(
        s, store_bind(s, ST_ACCEPTED_BEFORE, "ii", account, before_ms), out, r);
}
