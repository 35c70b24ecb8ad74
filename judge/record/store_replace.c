/* Replaces results of the store by others, and keeps what was before. */
#include "record/replace.h"

#include "base/file.h"
#include "record/moves.h"
#include "record/store_statements.h"

#include <stdlib.h>
#include <string.h>

/* A user's submissions to one problem, among which entries are chosen. */
struct subject {
    int64_t user;
    char *problem;
};

/* The replacements' subjects, each once, and their entries before and after. */
struct change {
    struct subject *subject;
    size_t count;
    struct board_entries before, after;
};

static void
change_free(struct change *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->subject[i].problem);
    free(c->subject);
    board_entries_free(&c->before);
    board_entries_free(&c->after);
}

static bool
change_has(const struct change *c, int64_t user, const char *problem)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->subject[i].user == user && strcmp(c->subject[i].problem, problem) == 0)
            return true;
    return false;
}

/* Adds the subject of a submission, which must be there. */
static int
change_add(struct store *s, struct change *c, int64_t id, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_SUBJECT, "i", id);
    const int rc = store_step(s, st, r);
    const char *problem;
    int64_t user;

    if (rc != SQLITE_ROW)
        return rc == SQLITE_DONE
                   ? report_fail(r, "there is no submission %lld", (long long)id)
                   : -1;
    user = sqlite3_column_int64(st, 0);
    problem = (const char *)sqlite3_column_text(st, 1);
    if (!change_has(c, user, problem)) {
        c->subject = xrealloc(c->subject, (c->count + 1) * sizeof *c->subject);
        c->subject[c->count++] = (struct subject){user, xstrdup(problem)};
    }
    sqlite3_reset(st);
    return 0;
}

/* Appends the entries of all subjects. */
static int
change_read_entries(struct store *s, const struct change *c, struct board_entries *out,
                    struct report *r)
{
    for (size_t i = 0; i < c->count; i++)
        if (store_add_entries(s,
                              store_bind(s, ST_SUBJECT_ENTRIES, "it", c->subject[i].user,
                                         c->subject[i].problem),
                              out, r) != 0)
            return -1;
    return 0;
}

static int
change_choose_entries(struct store *s, const struct change *c, struct report *r)
{
    static const enum statement STEPS[] = {ST_SUBJECT_CLEAR, ST_SUBJECT_CHOOSE};

    for (size_t i = 0; i < c->count; i++)
        for (size_t step = 0; step < 2; step++)
            if (store_run(s,
                          store_bind(s, STEPS[step], "it", c->subject[i].user,
                                     c->subject[i].problem),
                          r) != 0)
                return -1;
    return 0;
}

static int
replace_one(struct store *s, const struct replacement *p, struct report *r)
{
    static const enum statement STEPS[] = {ST_DROP_TESTS, ST_DROP_SAMPLES};

    if (p->finished.result->verdict == VERDICT_JUDGE_ERROR)
        return report_fail(r, "submission %lld could not be judged again: %s",
                           (long long)p->id, p->finished.result->message);
    if (store_run(s, store_bind(s, ST_KEEP_PAST, "ii", p->id, now_ms()), r) != 0)
        return -1;
    if (sqlite3_changes(s->db) == 0)
        return report_fail(r, "submission %lld is not done", (long long)p->id);
    if (store_write_result(s, ST_REPLACE, p->id, &p->finished, r) != 0)
        return -1;
    for (size_t i = 0; i < 2; i++)
        if (store_run(s, store_bind(s, STEPS[i], "i", p->id), r) != 0)
            return -1;
    if (store_drop_move(s, p->id, r) != 0 ||
        store_run(s, store_bind(s, ST_ADD_CALIBRATIONS, "i", p->id), r) != 0 ||
        store_set_digests(s, p->id, &p->finished.source, &p->finished.ptx, r) != 0)
        return -1;
    return store_add_details(s, p->id, p->finished.result, r);
}

/* What a replacement does between begin and commit. */
static int
replace_all(struct store *s, const struct replacement *list, size_t count,
            struct change *c, struct report *r)
{
    for (size_t i = 0; i < count; i++)
        if (change_add(s, c, list[i].id, r) != 0)
            return -1;
    if (change_read_entries(s, c, &c->before, r) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (replace_one(s, &list[i], r) != 0)
            return -1;
    if (change_choose_entries(s, c, r) != 0)
        return -1;
    return change_read_entries(s, c, &c->after, r);
}

int
store_replace(struct store *s, const struct replacement *list, size_t count,
              struct report *r)
{
    struct change change = {0};
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = replace_all(s, list, count, &change, r);
    if (rc != 0)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    if (rc == 0)
        rankings_replace(s->rankings, &change.before, &change.after);
    change_free(&change);
    return rc;
}

/* --- removing ------------------------------------------------------------ */

/* The caller frees *source. */
static int
read_source_of(struct store *s, int64_t id, char **source, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_SOURCE_OF, "i", id);

    if (store_step(s, st, r) != SQLITE_ROW)
        return -1;
    *source = store_column_copy(st, 0);
    sqlite3_reset(st);
    return 0;
}

static int
delete_one(struct store *s, int64_t id, const struct change *c, struct report *r)
{
    static const enum statement STEPS[] = {
        ST_PURGE_EQUAL,    ST_DROP_TESTS, ST_DROP_SAMPLES, ST_PURGE_ARRAYS,
        ST_DROP_OVERTAKEN, ST_DROP_BEST,  ST_DROP_PAST,    ST_PURGE_KEY};
    char *source = NULL, empty[65];
    int rc = read_source_of(s, id, &source, r);

    hash_hex("", 0, empty);
    if (rc == 0)
        rc = store_run(s,
                       store_bind(s, ST_SUBJECT_CLEAR, "it", c->subject[0].user,
                                  c->subject[0].problem),
                       r);
    if (rc == 0)
        rc = store_drop_move(s, id, r);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS && rc == 0; i++)
        rc = store_run(s, store_bind(s, STEPS[i], "i", id), r);
    if (rc == 0)
        rc = store_run(s, store_bind(s, ST_DROP_SUBMISSION, "i", id), r);
    if (rc == 0 && sqlite3_changes(s->db) == 0)
        rc = report_fail(r, "submission %lld is not done", (long long)id);
    if (rc == 0)
        rc = store_run(s, store_bind(s, ST_PURGE_SOURCE, "tt", source, empty), r);
    free(source);
    return rc;
}

int
store_delete_submission(struct store *s, int64_t id, struct report *r)
{
    struct change change = {0};
    int rc;

    if (store_begin(s, r) != 0)
        return -1;
    rc = change_add(s, &change, id, r);
    if (rc == 0)
        rc = change_read_entries(s, &change, &change.before, r);
    if (rc == 0)
        rc = delete_one(s, id, &change, r);
    if (rc == 0)
        rc = change_choose_entries(s, &change, r);
    if (rc == 0)
        rc = change_read_entries(s, &change, &change.after, r);
    if (rc != 0)
        store_rollback(s);
    else
        rc = store_commit(s, r);
    if (rc == 0)
        rankings_replace(s->rankings, &change.before, &change.after);
    change_free(&change);
    return rc;
}

/* --- history ------------------------------------------------------------ */

int
store_past_results(struct store *s, int64_t id, struct past_results *out,
                   struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_PAST, "i", id);
    struct past_results list = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        struct past_result p = {.finished_ms = sqlite3_column_int64(st, 0),
                                .replaced_ms = sqlite3_column_int64(st, 1),
                                .time_ns = sqlite3_column_double(st, 7),
                                .low_ns = sqlite3_column_double(st, 8),
                                .high_ns = sqlite3_column_double(st, 9)};

        if (verdict_parse((const char *)sqlite3_column_text(st, 2), &p.verdict) != 0) {
            report_fail(r, "%s holds a verdict \"%s\" that this warpjudge does not know",
                        s->path, (const char *)sqlite3_column_text(st, 2));
            sqlite3_reset(st);
            rc = -1;
            break;
        }
        p.message = store_column_copy(st, 3);
        p.board = store_column_copy(st, 4);
        p.meaning = store_column_copy(st, 5);
        p.sizes = store_column_copy(st, 6);
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] = p;
    }
    if (rc != SQLITE_DONE) {
        past_results_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

void
past_results_free(struct past_results *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].message);
        free(list->row[i].board);
        free(list->row[i].meaning);
        free(list->row[i].sizes);
    }
    free(list->row);
    *list = (struct past_results){0};
}
