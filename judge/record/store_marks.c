/* Keeps the marks of the house, and says which of them a time has beaten. */
#include "record/marks.h"

#include "base/file.h"
#include "record/ranked_interval.h"
#include "record/store_statements.h"

#include <stdio.h>
#include <stdlib.h>

void
marks_free(struct marks *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->row[i].filename);
    free(list->row);
    *list = (struct marks){0};
}

int
store_marks(struct store *s, const struct board *b, struct marks *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_MARKS, "ttt", b->problem, b->device, b->meaning);
    struct marks list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        struct mark m = {.filename = store_column_copy(st, 0),
                         .time = {.time_ns = sqlite3_column_double(st, 2),
                                  .low_ns = sqlite3_column_double(st, 3),
                                  .high_ns = sqlite3_column_double(st, 4)}};

        m.ranked = ranked_interval(&m.time, b->device);
        snprintf(m.sha256, sizeof m.sha256, "%s",
                 (const char *)sqlite3_column_text(st, 1));
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] = m;
    }
    if (rc != SQLITE_DONE) {
        marks_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_set_mark(struct store *s, const struct board *b, const struct mark *m,
               struct report *r)
{
    return store_run(s,
                     store_bind(s, ST_SET_MARK, "tttttdddi", b->problem, b->device,
                                b->meaning, m->filename, m->sha256, m->time.time_ns,
                                m->time.low_ns, m->time.high_ns, now_ms()),
                     r);
}

int
store_drop_mark(struct store *s, const struct board *b, const char *filename,
                struct report *r)
{
    return store_run(
        s,
        store_bind(s, ST_DROP_MARK, "tttt", b->problem, b->device, b->meaning, filename),
        r);
}

bool
mark_is_beaten(const struct mark *m, const struct measured *ranked)
{
    return ranked->time_ns > 0 && ranked->high_ns < m->ranked.low_ns;
}

size_t
marks_beaten(const struct marks *list, const struct measured *ranked)
{
    size_t beaten = 0;

    for (size_t i = 0; i < list->count; i++)
        beaten += mark_is_beaten(&list->row[i], ranked);
    return beaten;
}

int
store_own_time(struct store *s, const struct board *b, const char *user,
               struct measured *out, struct report *r)
{
    struct ranked own;
    bool found;

    if (store_entry_of(s, b, user, &found, &own, r) != 0)
        return -1;
    *out = found ? own.time : (struct measured){0};
    return 0;
}
