/* Replaces results of the store by others, and keeps what was before. */
#include "record/replace.h"

#include "base/file.h"
#include "record/moves.h"
#include "record/rank.h"
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

/* --- preview ------------------------------------------------------------ */

/* The rank of each entry of a ranking, by the number of its submission. */
struct submission_rank {
    int64_t submission, rank;
};

static int
compare_submission_ranks(const void *a, const void *b)
{
    const struct submission_rank *one = a, *other = b;

    return (one->submission > other->submission) - (one->submission < other->submission);
}

/* The caller frees. The last one is no entry: no submission has its number. */
static struct submission_rank *
ranks_of(struct ranking *g)
{
    const size_t count = ranking_count(g);
    struct submission_rank *out = xcalloc(count + 1, sizeof *out);

    for (size_t i = 0; i < count; i++) {
        const struct place place = ranking_place_of(g, i);

        out[i] =
            (struct submission_rank){ranking_entry(g, i)->submission, place_rank(&place)};
    }
    qsort(out, count, sizeof *out, compare_submission_ranks);
    out[count].submission = INT64_MAX;
    return out;
}

static void
add_rank_changes(const struct board *b, struct ranking *before, struct ranking *after,
                 struct rank_changes *out)
{
    struct submission_rank *old = ranks_of(before), *now = ranks_of(after);
    const struct submission_rank *o = old, *n = now;

    while (o->submission != INT64_MAX || n->submission != INT64_MAX) {
        const bool was = o->submission <= n->submission,
                   is = n->submission <= o->submission;
        const struct rank_change row = {.submission = was ? o->submission : n->submission,
                                        .before = was ? o->rank : 0,
                                        .after = is ? n->rank : 0};

        if (row.before != row.after) {
            out->row = xrealloc(out->row, (out->count + 1) * sizeof *out->row);
            out->row[out->count] = row;
            out->row[out->count].problem = xstrdup(b->problem);
            out->row[out->count].device = xstrdup(b->device);
            out->row[out->count].meaning = xstrdup(b->meaning);
            out->count++;
        }
        o += was;
        n += is;
    }
    free(old);
    free(now);
}

static struct board
board_of_entry(const struct board_entry *e)
{
    return (struct board){e->problem, e->board, e->meaning};
}

static bool
is_on_board(const struct board_entry *e, const struct board *b)
{
    return strcmp(e->problem, b->problem) == 0 && strcmp(e->board, b->device) == 0 &&
           strcmp(e->meaning, b->meaning) == 0;
}

/* Is the entry's board that of an earlier one of these? */
static bool
board_came_before(const struct change *c, size_t i, const struct board *b)
{
    for (size_t k = 0; k < i; k++)
        if (is_on_board(k < c->before.count ? &c->before.row[k]
                                            : &c->after.row[k - c->before.count],
                        b))
            return true;
    return false;
}

/* Compares each board with what it would be. A ranking that is held stays as it is while
 * the change is made and undone. */
static void
compare_boards(struct store *s, const struct change *c, struct rank_changes *out)
{
    for (size_t i = 0; i < c->before.count + c->after.count; i++) {
        const struct board b = board_of_entry(
            i < c->before.count ? &c->before.row[i] : &c->after.row[i - c->before.count]);
        struct ranking *before, *after;

        if (board_came_before(c, i, &b))
            continue;
        before = store_ranking(s, &b);
        rankings_replace(s->rankings, &c->before, &c->after);
        after = store_ranking(s, &b);
        add_rank_changes(&b, before, after, out);
        rankings_replace(s->rankings, &c->after, &c->before);
        ranking_release(before);
        ranking_release(after);
    }
}

int
store_replace_preview(struct store *s, const struct replacement *list, size_t count,
                      struct rank_changes *out, struct report *r)
{
    struct change change = {0};
    int rc;

    *out = (struct rank_changes){0};
    if (store_begin(s, r) != 0)
        return -1;
    rc = replace_all(s, list, count, &change, r);
    store_rollback(s);
    if (rc == 0)
        compare_boards(s, &change, out);
    change_free(&change);
    return rc;
}

void
rank_changes_free(struct rank_changes *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].problem);
        free(list->row[i].device);
        free(list->row[i].meaning);
    }
    free(list->row);
    *list = (struct rank_changes){0};
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
