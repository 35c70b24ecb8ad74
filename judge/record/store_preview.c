/*
 * Says which ranks a replacement of results would change. Its steps are of three kinds:
 *
 *     read      the users and problems of some submissions
 *     choose    one user's entries for one problem, before and after
 *     compare   some entries of one board, before and after
 *
 * A board has two rankings: one that is held, and one to which the changes are made. Both
 * have the same order, so that one walk through both compares them.
 */
#include "record/replace.h"

#include "base/file.h"
#include "record/ranked_interval.h"
#include "record/ranking_groups.h"
#include "record/store_statements.h"

#include <stdlib.h>
#include <string.h>

#define READS_AT_ONCE 32
#define COMPARES_AT_ONCE 4096

/* A replacement's submission. */
struct subject {
    int64_t user;
    char *problem, *board;
    const struct replacement *replacement;
    bool sample_tests_only;
};

/* A board that changes, and what changes on it. */
struct preview_board {
    char *problem, *device, *meaning;
    struct ranking *before, *after;
    size_t in_before, in_after;             /* how far they are compared */
    size_t before_leader, after_leader;     /* of the groups there */
    struct rank_change *own, *moved;        /* of entries that are replaced; of others */
    size_t own_count, moved_count, changes; /* `changes`: all, once it is compared */
};

struct replace_preview {
    struct store *store;
    const struct replacement *list;
    size_t count;
    struct subject *subject; /* in the list's order, and sorted once all are read */
    size_t read, chosen;
    struct preview_board *board;
    size_t boards, compared;
};

struct replace_preview *
store_preview_new(struct store *s, const struct replacement *list, size_t count)
{
    struct replace_preview *p = xcalloc(1, sizeof *p);

    *p = (struct replace_preview){.store = s, .list = list, .count = count};
    p->subject = xcalloc(count + 1, sizeof *p->subject);
    return p;
}

void
store_preview_free(struct replace_preview *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->read; i++) {
        free(p->subject[i].problem);
        free(p->subject[i].board);
    }
    for (size_t i = 0; i < p->boards; i++) {
        struct preview_board *b = &p->board[i];

        ranking_release(b->before);
        ranking_release(b->after);
        free(b->problem);
        free(b->device);
        free(b->meaning);
        free(b->own);
        free(b->moved);
    }
    free(p->board);
    free(p->subject);
    free(p);
}

/* --- reading ------------------------------------------------------------ */

static int
preview_read(struct replace_preview *p, struct report *r)
{
    const struct replacement *replacement = &p->list[p->read];
    const struct result *res = replacement->finished.result;
    sqlite3_stmt *st = store_bind(p->store, ST_PREVIEW_SUBJECT, "i", replacement->id);
    const int rc = store_step(p->store, st, r);
    const bool done = rc == SQLITE_ROW && sqlite3_column_int(st, 3) != 0;

    if (rc == -1)
        return -1;
    if (done)
        p->subject[p->read++] =
            (struct subject){.user = sqlite3_column_int64(st, 0),
                             .problem = store_column_copy(st, 1),
                             .board = res->board != NULL && res->board[0] != '\0'
                                          ? xstrdup(res->board)
                                          : store_column_copy(st, 2),
                             .sample_tests_only = sqlite3_column_int(st, 4) != 0,
                             .replacement = replacement};
    if (rc == SQLITE_ROW)
        sqlite3_reset(st);
    else
        return report_fail(r, "there is no submission %lld", (long long)replacement->id);
    if (res->verdict == VERDICT_JUDGE_ERROR)
        return report_fail(r, "submission %lld could not be judged again: %s",
                           (long long)replacement->id, res->message);
    if (!done)
        return report_fail(r, "submission %lld is not done", (long long)replacement->id);
    return 0;
}

static int
compare_subjects(const void *a, const void *b)
{
    const struct subject *one = a, *other = b;

    if (one->user != other->user)
        return one->user < other->user ? -1 : 1;
    return strcmp(one->problem, other->problem);
}

/* --- choosing ----------------------------------------------------------- */

/* The board of an entry, until the next one is asked for. A new one is compared as it is
 * now. */
static struct preview_board *
preview_board(struct replace_preview *p, const struct board_entry *e)
{
    struct preview_board *b;

    for (size_t i = 0; i < p->boards; i++)
        if (strcmp(p->board[i].meaning, e->meaning) == 0 &&
            strcmp(p->board[i].problem, e->problem) == 0 &&
            strcmp(p->board[i].device, e->board) == 0)
            return &p->board[i];
    p->board = xrealloc(p->board, (p->boards + 1) * sizeof *p->board);
    b = &p->board[p->boards];
    *b = (struct preview_board){.problem = xstrdup(e->problem),
                                .device = xstrdup(e->board),
                                .meaning = xstrdup(e->meaning)};
    b->before =
        store_ranking(p->store, &(struct board){b->problem, b->device, b->meaning});
    b->after = ranking_hold(b->before);
    p->boards++;
    return b;
}

static bool
is_replaced(const struct subject *group, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (group[i].replacement->id == id)
            return true;
    return false;
}

/* Appends an entry to a list. It takes over the texts. */
static void
entries_append(struct board_entries *list, const struct board_entry *e)
{
    list->row = xrealloc(list->row, (list->count + 1) * sizeof *list->row);
    list->row[list->count++] = *e;
}

/* Adds the result that replaces a subject's, where it may become an entry. */
static void
add_replacement(const struct subject *s, struct board_entries *out)
{
    const struct finished_submission *f = &s->replacement->finished;
    const struct timing *t = &f->result->timing;
    const struct measured time = {t->median_ns, t->low_ns, t->high_ns};

    if (s->sample_tests_only || f->result->verdict != VERDICT_ACCEPTED || !t->present ||
        !(t->median_ns > 0))
        return;
    entries_append(
        out, &(struct board_entry){
                 .problem = xstrdup(s->problem),
                 .board = xstrdup(s->board),
                 .meaning = xstrdup(f->meaning != NULL ? f->meaning : MEANING_UNKNOWN),
                 .ranked = {.time = ranked_interval(&time, s->board),
                            .submission = s->replacement->id}});
}

/* The results of a user's submissions to a problem, as they would be. `group` are those
 * of its submissions that are replaced. */
static int
read_results(struct replace_preview *p, const struct subject *group, size_t count,
             struct board_entries *out, struct report *r)
{
    struct board_entries all = {0};

    if (store_add_entries(
            p->store,
            store_bind(p->store, ST_SUBJECT_RESULTS, "it", group->user, group->problem),
            &all, r) != 0) {
        board_entries_free(&all);
        return -1;
    }
    *out = (struct board_entries){0};
    for (size_t i = 0; i < all.count; i++)
        if (!is_replaced(group, count, all.row[i].ranked.submission)) {
            entries_append(out, &all.row[i]);
            all.row[i] = (struct board_entry){0};
        }
    board_entries_free(&all);
    for (size_t i = 0; i < count; i++)
        add_replacement(&group[i], out);
    return 0;
}

/* Does another result of the list come before this one on its board? Then this is no
 * entry. */
static bool
is_beaten(const struct board_entries *list, size_t number)
{
    const struct board_entry *e = &list->row[number];

    for (size_t i = 0; i < list->count; i++) {
        const struct board_entry *other = &list->row[i];
        const double time_ns = other->ranked.time.time_ns;

        if ((time_ns < e->ranked.time.time_ns ||
             (time_ns == e->ranked.time.time_ns &&
              other->ranked.submission < e->ranked.submission)) &&
            strcmp(other->board, e->board) == 0 &&
            strcmp(other->meaning, e->meaning) == 0)
            return true;
    }
    return false;
}

/* Is the entry on its board, as that is compared? */
static bool
is_on_board(struct replace_preview *p, const struct board_entry *e)
{
    const struct ranking *g = preview_board(p, e)->before;
    const struct ranked before = {e->ranked.time, e->ranked.submission - 1};
    const size_t at = ranking_behind(g, &before);

    return at < ranking_count(g) &&
           ranking_entry(g, at)->submission == e->ranked.submission;
}

/* Changes the boards as the replaced results of one user and problem would. */
static int
preview_choose(struct replace_preview *p, struct report *r)
{
    const struct subject *group = &p->subject[p->chosen];
    struct board_entries before = {0}, results = {0};
    size_t count = 1;
    bool known = true;
    int rc;

    while (p->chosen + count < p->count && compare_subjects(group, group + count) == 0)
        count++;
    p->chosen += count;
    rc = store_add_entries(
        p->store,
        store_bind(p->store, ST_SUBJECT_ENTRIES, "it", group->user, group->problem),
        &before, r);
    if (rc == 0)
        rc = read_results(p, group, count, &results, r);
    for (size_t i = 0; rc == 0 && i < before.count; i++)
        known = known && is_on_board(p, &before.row[i]);
    for (size_t i = 0; rc == 0 && known && i < before.count; i++)
        ranking_remove(&preview_board(p, &before.row[i])->after, &before.row[i].ranked);
    for (size_t i = 0; rc == 0 && known && i < results.count; i++)
        if (!is_beaten(&results, i))
            ranking_add(&preview_board(p, &results.row[i])->after,
                        &results.row[i].ranked);
    board_entries_free(&before);
    board_entries_free(&results);
    return rc;
}

/* --- comparing ---------------------------------------------------------- */

static struct rank_change *
rows_add(struct rank_change **rows, size_t *count)
{
    if ((*count & (*count - 1)) == 0)
        *rows = xrealloc(*rows, (*count > 0 ? 2 * *count : 1) * sizeof **rows);
    (*rows)[*count] = (struct rank_change){0};
    return &(*rows)[(*count)++];
}

/* Adds an entry that is on one of the two rankings only, as it stands there. */
static void
add_own(struct preview_board *b, int64_t submission, size_t before, size_t after)
{
    struct rank_change *row = rows_add(&b->own, &b->own_count);

    *row = (struct rank_change){
        .submission = submission, .before = (int64_t)before, .after = (int64_t)after};
}

/* Adds an entry that is on both, if its rank is another. */
static void
add_moved(struct preview_board *b, int64_t submission)
{
    struct rank_change *row;

    if (b->before_leader == b->after_leader)
        return;
    b->changes++;
    if (b->moved_count == RANK_CHANGES_KEPT)
        return;
    row = rows_add(&b->moved, &b->moved_count);
    *row = (struct rank_change){.submission = submission,
                                .before = (int64_t)b->before_leader + 1,
                                .after = (int64_t)b->after_leader + 1};
}

/* Does `one` come before `other` in the order of rankings? */
static bool
ranked_precedes(const struct ranked *one, const struct ranked *other)
{
    if (measured_precedes(&one->time, &other->time))
        return true;
    return !measured_precedes(&other->time, &one->time) &&
           one->submission < other->submission;
}

/* The entry that comes next on a ranking, and the leader of its group; NULL at its end.
 */
static const struct ranked *
next_entry(const struct ranking *g, size_t at, size_t *leader)
{
    if (at == ranking_count(g))
        return NULL;
    if (ranking_leads(g, at))
        *leader = at;
    return ranking_entry(g, at);
}

/* Compares the next entry of one of the rankings, or of both where they are the same. */
static void
compare_next(struct preview_board *b)
{
    const struct ranked *old = next_entry(b->before, b->in_before, &b->before_leader),
                        *now = next_entry(b->after, b->in_after, &b->after_leader);

    if (old != NULL && (now == NULL || ranked_precedes(old, now))) {
        add_own(b, old->submission, b->before_leader + 1, 0);
        b->in_before++;
    } else if (now != NULL && (old == NULL || ranked_precedes(now, old))) {
        add_own(b, now->submission, 0, b->after_leader + 1);
        b->in_after++;
    } else if (old != NULL) {
        add_moved(b, old->submission);
        b->in_before++;
        b->in_after++;
    }
}

static int
compare_rows(const void *a, const void *b)
{
    const struct rank_change *one = a, *other = b;

    return (one->submission > other->submission) - (one->submission < other->submission);
}

/* Joins the two rows of an entry whose time is another, and drops those whose rank is the
 * same. */
static void
join_own(struct preview_board *b)
{
    size_t kept = 0;

    if (b->own_count > 0)
        qsort(b->own, b->own_count, sizeof *b->own, compare_rows);
    for (size_t i = 0; i < b->own_count; i++) {
        struct rank_change row = b->own[i];

        if (i + 1 < b->own_count && b->own[i + 1].submission == row.submission) {
            row.before += b->own[i + 1].before;
            row.after += b->own[i + 1].after;
            i++;
        }
        if (row.before != row.after)
            b->own[kept++] = row;
    }
    b->own_count = kept;
    b->changes += kept;
}

static void
preview_compare(struct replace_preview *p)
{
    struct preview_board *b = &p->board[p->compared];

    for (int i = 0; i < COMPARES_AT_ONCE; i++) {
        if (b->in_before == ranking_count(b->before) &&
            b->in_after == ranking_count(b->after)) {
            join_own(b);
            p->compared++;
            return;
        }
        compare_next(b);
    }
}

/* --- steps -------------------------------------------------------------- */

int
store_preview_step(struct replace_preview *p, bool *more, struct report *r)
{
    if (p->read < p->count) {
        for (int i = 0; i < READS_AT_ONCE && p->read < p->count; i++)
            if (preview_read(p, r) != 0)
                return -1;
        if (p->read == p->count)
            qsort(p->subject, p->count, sizeof *p->subject, compare_subjects);
    } else if (p->chosen < p->count) {
        if (preview_choose(p, r) != 0)
            return -1;
    } else if (p->compared < p->boards) {
        preview_compare(p);
    }
    *more = p->read < p->count || p->chosen < p->count || p->compared < p->boards;
    return 0;
}

/* Appends up to `most` rows of a board. */
static void
take_rows(struct rank_changes *out, const struct rank_change *row, size_t count,
          size_t most)
{
    const size_t taken = count < most ? count : most;

    out->row = xrealloc(out->row, (out->count + taken + 1) * sizeof *out->row);
    for (size_t i = 0; i < taken; i++) {
        out->row[out->count] = row[i];
        out->row[out->count++].board = out->boards;
    }
}

void
store_preview_take(struct replace_preview *p, struct rank_changes *out)
{
    struct rank_changes list = {0};

    for (size_t i = 0; i < p->boards; i++) {
        struct preview_board *b = &p->board[i];
        size_t own = b->own_count < RANK_CHANGES_KEPT ? b->own_count : RANK_CHANGES_KEPT;

        if (b->changes == 0)
            continue;
        take_rows(&list, b->own, own, own);
        take_rows(&list, b->moved, b->moved_count, RANK_CHANGES_KEPT - own);
        list.board = xrealloc(list.board, (list.boards + 1) * sizeof *list.board);
        list.board[list.boards++] = (struct changed_board){.problem = b->problem,
                                                           .device = b->device,
                                                           .meaning = b->meaning,
                                                           .changes = b->changes};
        b->problem = b->device = b->meaning = NULL;
    }
    *out = list;
}

void
rank_changes_free(struct rank_changes *list)
{
    for (size_t i = 0; i < list->boards; i++) {
        free(list->board[i].problem);
        free(list->board[i].device);
        free(list->board[i].meaning);
    }
    free(list->board);
    free(list->row);
    *list = (struct rank_changes){0};
}
