/* Reads what grades are made of. */
#include "record/grades.h"

#include "base/buf.h"
#include "problem/names.h"
#include "record/ranked_interval.h"
#include "record/store_statements.h"

#include <stdlib.h>

void
graded_list_free(struct graded_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].problem);
        free(list->row[i].board);
        free(list->row[i].meaning);
    }
    free(list->row);
    *list = (struct graded_list){0};
}

/* Reads a row. -1 where its verdict is none that this judge knows. */
static int
graded_read(sqlite3_stmt *st, struct graded *out, struct report *r)
{
    const char *verdict = (const char *)sqlite3_column_text(st, 2);
    const char *board = (const char *)sqlite3_column_text(st, 4);
    const struct measured time = {sqlite3_column_double(st, 6),
                                  sqlite3_column_double(st, 7),
                                  sqlite3_column_double(st, 8)};
    enum verdict v;

    if (verdict_parse(verdict, &v) != 0)
        return report_fail(r, "submission %lld has the verdict \"%.40s\"",
                           (long long)sqlite3_column_int64(st, 0), verdict);
    *out =
        (struct graded){.id = sqlite3_column_int64(st, 0),
                        .created_ms = sqlite3_column_int64(st, 1),
                        .verdict = v,
                        .problem = store_column_copy(st, 3),
                        .board = store_column_copy(st, 4),
                        .meaning = store_column_copy(st, 5),
                        .time = time.time_ns > 0 ? ranked_interval(&time, board) : time,
                        .roofline_ns = sqlite3_column_double(st, 9)};
    return 0;
}

int
store_graded(struct store *s, int64_t account, int64_t until_ms, int64_t after, int most,
             struct graded_list *out, struct report *r)
{
    sqlite3_stmt *st =
        store_bind(s, ST_GRADED, "iiii", account, until_ms, after, (int64_t)most);
    struct graded_list list = {.row = xcalloc((size_t)most, sizeof *list.row)};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        if (graded_read(st, &list.row[list.count], r) != 0) {
            sqlite3_reset(st);
            rc = -1;
            break;
        }
        list.count++;
    }
    if (rc != SQLITE_DONE) {
        graded_list_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_next_graded(struct store *s, int64_t after, int64_t *account, char **user,
                  struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_NEXT_GRADED, "it", after, HOUSE_USER);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *account = 0;
    if (rc == SQLITE_ROW) {
        *account = sqlite3_column_int64(st, 0);
        *user = store_column_copy(st, 1);
        sqlite3_reset(st);
    }
    return 0;
}
