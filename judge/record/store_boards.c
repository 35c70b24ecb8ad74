/* The boards: their rankings, which are kept in memory, and their entries, which are read
 * as they are shown. */
#include "record/store_statements.h"

#include "base/file.h"
#include "record/ranked_interval.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 256

struct named_ranking {
    struct named_ranking *next;
    char *problem, *board, *meaning;
    int64_t newest; /* of the submissions that were ever put on it */
    struct ranking *ranking;
};

struct rankings {
    struct named_ranking *bucket[BUCKETS];
};

void
rankings_free(struct rankings *all)
{
    for (int i = 0; all != NULL && i < BUCKETS; i++)
        for (struct named_ranking *n = all->bucket[i], *next; n != NULL; n = next) {
            next = n->next;
            ranking_release(n->ranking);
            free(n->problem);
            free(n->board);
            free(n->meaning);
            free(n);
        }
    free(all);
}

/* FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), cut to the number of buckets. */
static size_t
bucket_of(const char *text)
{
    uint32_t hash = 2166136261u;

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash ^ hash >> 16) % BUCKETS;
}

/* Is it a ranking of the board's problem and device, of whichever meaning? */
static bool
is_of_problem(const struct named_ranking *n, const struct board *b)
{
    return strcmp(n->problem, b->problem) == 0 && strcmp(n->board, b->device) == 0;
}

/* Where the ranking of a board is kept; an empty one is made where there is none. */
static struct named_ranking *
rankings_of(struct rankings *all, const struct board *b)
{
    struct named_ranking **bucket = &all->bucket[bucket_of(b->problem)], *n;

    for (n = *bucket; n != NULL; n = n->next)
        if (is_of_problem(n, b) && strcmp(n->meaning, b->meaning) == 0)
            return n;
    n = xcalloc(1, sizeof *n);
    *n = (struct named_ranking){.next = *bucket,
                                .problem = xstrdup(b->problem),
                                .board = xstrdup(b->device),
                                .meaning = xstrdup(b->meaning),
                                .ranking = ranking_new()};
    *bucket = n;
    return n;
}

static void
named_ranking_note(struct named_ranking *n, int64_t submission)
{
    n->newest = submission > n->newest ? submission : n->newest;
}

static void
named_ranking_add(struct named_ranking *n, const struct ranked *e)
{
    ranking_add(&n->ranking, e);
    named_ranking_note(n, e->submission);
}

/* A submission and what it is ranked by on a board of this kind of device, from a column
 * on. */
static struct ranked
column_ranked(sqlite3_stmt *st, int column, const char *device)
{
    const struct measured time = {.time_ns = sqlite3_column_double(st, column + 1),
                                  .low_ns = sqlite3_column_double(st, column + 2),
                                  .high_ns = sqlite3_column_double(st, column + 3)};

    return (struct ranked){.submission = sqlite3_column_int64(st, column),
                           .time = ranked_interval(&time, device)};
}

/* The board whose entries are being read; NULL before the first. */
struct loading {
    struct named_ranking *board;
    struct ranked *entry;
    size_t count, capacity;
};

static void
loading_add(struct loading *l, const struct ranked *e)
{
    if (l->count == l->capacity) {
        l->capacity = l->count < 32 ? 64 : l->count * 2;
        l->entry = xrealloc(l->entry, l->capacity * sizeof *l->entry);
    }
    l->entry[l->count++] = *e;
    named_ranking_note(l->board, e->submission);
}

/* Makes the ranking of what was read of the board. */
static void
loading_end_board(struct loading *l)
{
    if (l->board == NULL)
        return;
    ranking_release(l->board->ranking);
    l->board->ranking = ranking_of(l->entry, l->count);
    l->count = 0;
}

int
store_load_rankings(struct store *s, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_RANKINGS, "");
    struct loading l = {0};
    int rc;

    s->rankings = xcalloc(1, sizeof *s->rankings);
    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        const struct board b = {(const char *)sqlite3_column_text(st, 0),
                                (const char *)sqlite3_column_text(st, 1),
                                (const char *)sqlite3_column_text(st, 2)};
        const struct ranked e = column_ranked(st, 3, b.device);

        if (l.board == NULL || !is_of_problem(l.board, &b) ||
            strcmp(l.board->meaning, b.meaning) != 0) {
            loading_end_board(&l);
            l.board = rankings_of(s->rankings, &b);
        }
        loading_add(&l, &e);
    }
    loading_end_board(&l);
    free(l.entry);
    return rc == SQLITE_DONE ? 0 : -1;
}

/* --- changes ------------------------------------------------------------ */

void
board_entries_free(struct board_entries *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].problem);
        free(list->row[i].board);
        free(list->row[i].meaning);
    }
    free(list->row);
    *list = (struct board_entries){0};
}

int
store_add_entries(struct store *s, sqlite3_stmt *st, struct board_entries *out,
                  struct report *r)
{
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        out->row = xrealloc(out->row, (out->count + 1) * sizeof *out->row);
        out->row[out->count++] = (struct board_entry){
            store_column_copy(st, 0), store_column_copy(st, 1), store_column_copy(st, 2),
            column_ranked(st, 3, (const char *)sqlite3_column_text(st, 1))};
    }
    return rc == SQLITE_DONE ? 0 : -1;
}

int
store_entries_of(struct store *s, int64_t user, int64_t other, struct board_entries *out,
                 struct report *r)
{
    struct board_entries list = {0};

    if (store_add_entries(s, store_bind(s, ST_ENTRIES_OF, "ii", user, other), &list, r) !=
        0) {
        board_entries_free(&list);
        return -1;
    }
    *out = list;
    return 0;
}

static struct named_ranking *
ranking_of_entry(struct rankings *all, const struct board_entry *e)
{
    return rankings_of(all, &(struct board){e->problem, e->board, e->meaning});
}

void
rankings_replace(struct rankings *all, const struct board_entries *before,
                 const struct board_entries *after)
{
    for (size_t i = 0; i < before->count; i++)
        ranking_remove(&ranking_of_entry(all, &before->row[i])->ranking,
                       &before->row[i].ranked);
    for (size_t i = 0; i < after->count; i++)
        named_ranking_add(ranking_of_entry(all, &after->row[i]), &after->row[i].ranked);
}

int
store_entry_of(struct store *s, const struct board *b, const char *user, bool *found,
               struct ranked *out, struct report *r)
{
    sqlite3_stmt *st =
        store_bind(s, ST_OWN_ENTRY, "tttt", b->problem, b->device, b->meaning, user);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (*found) {
        *out = column_ranked(st, 0, b->device);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_own_entry(struct store *s, const struct board *b, const char *user,
                struct board_entries *out, struct report *r)
{
    struct ranked own;
    bool found;

    if (store_entry_of(s, b, user, &found, &own, r) != 0)
        return -1;
    *out = (struct board_entries){0};
    if (found) {
        out->row = xcalloc(1, sizeof *out->row);
        out->row[out->count++] = (struct board_entry){
            xstrdup(b->problem), xstrdup(b->device), xstrdup(b->meaning), own};
    }
    return 0;
}

/* --- meanings ----------------------------------------------------------- */

void
other_boards_free(struct other_boards *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->row[i].meaning);
    free(list->row);
    *list = (struct other_boards){0};
}

static int
compare_newest(const void *a, const void *b)
{
    const struct other_board *one = a, *other = b;

    return (one->newest < other->newest) - (one->newest > other->newest);
}

void
store_other_boards(struct store *s, const struct board *b, struct other_boards *out)
{
    const struct named_ranking *n = s->rankings->bucket[bucket_of(b->problem)];
    struct other_boards list = {0};

    for (; n != NULL; n = n->next) {
        const size_t entries = ranking_count(n->ranking);

        if (!is_of_problem(n, b) || strcmp(n->meaning, b->meaning) == 0 || entries == 0)
            continue;
        list.row = xrealloc(list.row, (list.count + 1) * sizeof *list.row);
        list.row[list.count++] =
            (struct other_board){xstrdup(n->meaning), n->newest, entries};
    }
    if (list.count > 1)
        qsort(list.row, list.count, sizeof *list.row, compare_newest);
    *out = list;
}

void
store_boards_of_before(struct store *s,
                       void (*found)(void *arg, const char *problem, const char *device),
                       void *arg)
{
    for (int i = 0; i < BUCKETS; i++)
        for (const struct named_ranking *n = s->rankings->bucket[i]; n != NULL;
             n = n->next)
            if (strcmp(n->meaning, MEANING_OF_BEFORE) == 0 &&
                ranking_count(n->ranking) > 0)
                found(arg, n->problem, n->board);
}

static int
adopt_board(struct store *s, const struct adoption *a, struct report *r)
{
    const struct board *b = &a->board;

    if (store_run(
            s,
            store_bind(s, ST_ADOPT, "tttt", b->problem, b->device, b->meaning, a->sizes),
            r) != 0 ||
        store_run(s,
                  store_bind(s, ST_ADOPT_CLEAR, "ttt", b->problem, b->device, b->meaning),
                  r) != 0)
        return -1;
    return store_run(
        s, store_bind(s, ST_ADOPT_ENTRIES, "ttt", b->problem, b->device, b->meaning), r);
}

int
store_adopt(struct store *s, const struct adoption *list, size_t count, struct report *r)
{
    struct rankings *old = s->rankings;

    if (store_begin(s, r) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (adopt_board(s, &list[i], r) != 0) {
            store_rollback(s);
            return -1;
        }
    if (store_commit(s, r) != 0)
        return -1;
    if (store_load_rankings(s, r) != 0) {
        rankings_free(s->rankings);
        s->rankings = old;
        return -1;
    }
    rankings_free(old);
    return 0;
}

int
store_begin_board(struct store *s, const char *problem, const char *device,
                  struct report *r)
{
    return store_run(s, store_bind(s, ST_BEGIN_BOARD, "tti", problem, device, now_ms()),
                     r);
}

int
store_begun_boards(struct store *s,
                   void (*found)(void *arg, const char *problem, const char *device,
                                 int64_t number),
                   void *arg, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_BEGUN_BOARDS, "");
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW)
        found(arg, (const char *)sqlite3_column_text(st, 0),
              (const char *)sqlite3_column_text(st, 1), sqlite3_column_int64(st, 2));
    return rc == SQLITE_DONE ? 0 : -1;
}

/* --- places and entries ------------------------------------------------- */

int
store_place(struct store *s, const struct board *b, const char *user,
            const struct measured *time, struct place *out, double *own_ns,
            struct report *r)
{
    const struct measured one = ranked_interval(time, b->device);
    struct ranked own;
    bool found;

    if (store_entry_of(s, b, user, &found, &own, r) != 0)
        return -1;
    *own_ns = found ? own.time.time_ns : 0;
    *out = ranking_place(rankings_of(s->rankings, b)->ranking, &one, found ? &own : NULL);
    return 0;
}

void
store_count_changes(void *store, int what, const char *database, const char *table,
                    sqlite3_int64 row)
{
    static const char *const NOT_OF_RIGHTS[] = {
        "submissions",  "sources",      "tests",         "samples", "entries",
        "past_results", "begun_boards", "moves",         "passed",  "marks",
        "equal_work",   "own_arrays",   "announcements", "listed",  "submission_counts"};
    struct store *s = store;

    (void)database;
    (void)row;
    if (what != SQLITE_INSERT && strcmp(table, "users") == 0)
        s->renamed++;
    /* Whatever table comes later may be about rights, too. */
    for (size_t i = 0; i < sizeof NOT_OF_RIGHTS / sizeof *NOT_OF_RIGHTS; i++)
        if (strcmp(table, NOT_OF_RIGHTS[i]) == 0)
            return;
    s->rights++;
}

uint64_t
store_rights_version(const struct store *s)
{
    return s->rights;
}

uint64_t
store_renamed(const struct store *s)
{
    return s->renamed;
}

struct ranking *
store_ranking(struct store *s, const struct board *b)
{
    return ranking_hold(rankings_of(s->rankings, b)->ranking);
}

void
entries_free(struct entries *e)
{
    for (size_t i = 0; i < e->count; i++) {
        free(e->entry[i].user);
        free(e->entry[i].display_name);
        free(e->entry[i].remark);
    }
    free(e->entry);
    *e = (struct entries){0};
}

static struct entry
read_entry(sqlite3_stmt *st)
{
    return (struct entry){
        .user = store_column_copy(st, 0),
        .submission = sqlite3_column_int64(st, 1),
        .created_ms = sqlite3_column_int64(st, 2),
        .time_ns = sqlite3_column_double(st, 3),
        .work_bytes = sqlite3_column_double(st, 4),
        .work_flops = sqlite3_column_double(st, 5),
        .low_ns = sqlite3_column_double(st, 6),
        .high_ns = sqlite3_column_double(st, 7),
        .roofline_ns = sqlite3_column_double(st, 8),
        .review = sqlite3_column_int(st, 9) != 0,
        .remark = store_column_copy(st, 10),
        .insecure = sqlite3_column_int(st, 11) != 0,
        .display_name = store_column_copy(st, 12),
    };
}

/* Appends `count` entries of a ranking, from entry `first` on. */
static int
read_entries(struct store *s, const struct ranking *g, size_t first, size_t count,
             struct entries *out, struct report *r)
{
    for (size_t i = first; i < first + count; i++) {
        const int64_t id = ranking_entry(g, i)->submission;
        sqlite3_stmt *st = store_bind(s, ST_ENTRY, "i", id);
        const int rc = store_step(s, st, r);

        if (rc != SQLITE_ROW)
            return rc == SQLITE_DONE
                       ? report_fail(r, "%s: no submission %lld", s->path, (long long)id)
                       : -1;
        out->entry[out->count++] = read_entry(st);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_entries(struct store *s, const struct ranking *g, size_t first, size_t most,
              struct entries *out, struct report *r)
{
    const size_t left = ranking_count(g) - first, count = left < most ? left : most;
    struct entries list = {0};
    int rc;

    if (store_read_begin(s, r) != 0)
        return -1;
    list.entry = xcalloc(count + 1, sizeof *list.entry);
    rc = read_entries(s, g, first, count, &list, r);
    store_read_end(s);
    if (rc == 0)
        *out = list;
    else
        entries_free(&list);
    return rc;
}
