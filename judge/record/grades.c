/* Reads what grades are made of. */
#include "record/grades.h"

#include "problem/names.h"
#include "record/ranked_interval.h"
#include "record/store_statements.h"

enum {
    GRADED_ID,
    GRADED_CREATED_MS,
    GRADED_VERDICT,
    GRADED_PROBLEM,
    GRADED_BOARD,
    GRADED_MEANING,
    GRADED_TIME_NS,
    GRADED_LOW_NS,
    GRADED_HIGH_NS,
    GRADED_LIMIT_NS,
    GRADED_COUNTS,
    GRADED_SOURCE_DIGEST,
    GRADED_PTX_DIGEST
};

static const char *
graded_text(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

/* Reads a row. -1 where its verdict is none that this judge knows. */
static int
graded_read(sqlite3_stmt *st, struct graded *out, struct report *r)
{
    const char *board = graded_text(st, GRADED_BOARD);
    const struct measured time = {sqlite3_column_double(st, GRADED_TIME_NS),
                                  sqlite3_column_double(st, GRADED_LOW_NS),
                                  sqlite3_column_double(st, GRADED_HIGH_NS)};
    struct graded g = {.id = sqlite3_column_int64(st, GRADED_ID),
                       .created_ms = sqlite3_column_int64(st, GRADED_CREATED_MS),
                       .counts = sqlite3_column_int(st, GRADED_COUNTS) != 0,
                       .problem = graded_text(st, GRADED_PROBLEM),
                       .board = board,
                       .source_digest = graded_text(st, GRADED_SOURCE_DIGEST),
                       .ptx_digest = graded_text(st, GRADED_PTX_DIGEST)};

    if (g.counts) {
        const char *verdict = graded_text(st, GRADED_VERDICT);

        if (verdict_parse(verdict, &g.verdict) != 0)
            return report_fail(r, "submission %lld has the verdict \"%.40s\"",
                               (long long)g.id, verdict);
        g.meaning = graded_text(st, GRADED_MEANING);
        g.time = time.time_ns > 0 ? ranked_interval(&time, board) : time;
        g.roofline_ns = sqlite3_column_double(st, GRADED_LIMIT_NS);
    }
    *out = g;
    return 0;
}

int
store_look_at_graded(struct store *s, int64_t account, int64_t until_ms, int most,
                     void (*look)(void *arg, const struct graded *sub), void *arg,
                     int64_t *after, bool *more, struct report *r)
{
    sqlite3_stmt *st =
        store_bind(s, ST_GRADED, "iiii", account, until_ms, *after, (int64_t)most);
    int rc, seen = 0;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        struct graded sub;

        if (graded_read(st, &sub, r) != 0) {
            sqlite3_reset(st);
            return -1;
        }
        look(arg, &sub);
        *after = sub.id;
        seen++;
    }
    if (rc != SQLITE_DONE)
        return -1;
    *more = seen == most;
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
