/* Announcements in the store. */
#include "record/announcements.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/store_statements.h"

#include <stdlib.h>

void
announcements_free(struct announcements *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->row[i].text);
    free(list->row);
    *list = (struct announcements){0};
}

int
store_announcements(struct store *s, struct announcements *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_ANNOUNCEMENTS, "");
    struct announcements list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] =
            (struct announcement){.id = sqlite3_column_int64(st, 0),
                                  .text = store_column_copy(st, 1),
                                  .created_ms = sqlite3_column_int64(st, 2)};
    }
    if (rc != SQLITE_DONE) {
        announcements_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

int
store_announce(struct store *s, const char *text, bool *full, struct announcement *out,
               struct report *r)
{
    const int64_t now = now_ms();

    if (store_run(
            s, store_bind(s, ST_ANNOUNCE, "tii", text, now, (int64_t)ANNOUNCEMENTS_MAX),
            r) != 0)
        return -1;
    *full = sqlite3_changes(s->db) == 0;
    if (!*full)
        *out = (struct announcement){.id = sqlite3_last_insert_rowid(s->db),
                                     .text = xstrdup(text),
                                     .created_ms = now};
    return 0;
}

int
store_drop_announcement(struct store *s, int64_t id, bool *found, struct report *r)
{
    if (store_run(s, store_bind(s, ST_DROP_ANNOUNCEMENT, "i", id), r) != 0)
        return -1;
    *found = sqlite3_changes(s->db) != 0;
    return 0;
}
