/* Makes a standing: what each entry earns, added up for each user and put in order. */
#include "record/standing.h"

#include "base/buf.h"
#include "problem/names.h"
#include "record/store_statements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int WORTH[DIFFICULTY_COUNT] = {[EASY] = 10, [MEDIUM] = 20, [HARD] = 30};

int
standing_worth(enum difficulty d)
{
    return WORTH[d];
}

int64_t
standing_points(enum difficulty d, double fastest_ns, double time_ns)
{
    return llround(1000 * WORTH[d] * (0.5 + 0.5 * fastest_ns / time_ns));
}

void
standing_free(struct standing *s)
{
    free(s->row);
    free(s->by_user);
    *s = (struct standing){0};
}

int64_t
standing_find(const struct standing *s, int64_t user)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (s->row[s->by_user[middle]].user < user)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->count || s->row[s->by_user[low]].user != user)
        return -1;
    return (int64_t)s->by_user[low];
}

/* --- reading ------------------------------------------------------------ */

/* What one entry earns. */
struct earned {
    int64_t user;
    double time_ns;
    int64_t points;
    enum difficulty difficulty;
    bool fastest;
};

struct earnings {
    struct earned *row;
    size_t count, capacity;
    size_t first; /* of the board that is being read */
};

/* The board that is being read. */
struct read_board {
    char *problem, *meaning;
    bool counts;
    enum difficulty difficulty;
};

static void
read_board_free(struct read_board *b)
{
    free(b->problem);
    free(b->meaning);
    *b = (struct read_board){0};
}

/* Gives the entries of the board that was read what they earn. */
static void
end_board(struct earnings *e, const struct read_board *b)
{
    double fastest_ns = INFINITY;

    for (size_t i = e->first; i < e->count; i++)
        fastest_ns = fmin(fastest_ns, e->row[i].time_ns);
    for (size_t i = e->first; i < e->count; i++) {
        struct earned *one = &e->row[i];

        one->difficulty = b->difficulty;
        one->points = standing_points(b->difficulty, fastest_ns, one->time_ns);
        one->fastest = one->time_ns <= fastest_ns;
    }
    e->first = e->count;
}

/* Begins another board where the row is of one. */
static void
begin_board(struct read_board *b, const char *problem, const char *meaning,
            standing_problem_fn *ask, void *arg)
{
    const char *today = NULL;

    if (b->problem == NULL || strcmp(b->problem, problem) != 0 ||
        strcmp(b->meaning, meaning) != 0) {
        read_board_free(b);
        b->problem = xstrdup(problem);
        b->meaning = xstrdup(meaning);
        b->counts = ask(arg, problem, &today, &b->difficulty) && today[0] != '\0' &&
                    strcmp(today, meaning) == 0;
    }
}

static void
earnings_add(struct earnings *e, int64_t user, double time_ns)
{
    if (e->count == e->capacity) {
        e->capacity = e->capacity < 64 ? 128 : e->capacity * 2;
        e->row = xrealloc(e->row, e->capacity * sizeof *e->row);
    }
    e->row[e->count++] = (struct earned){.user = user, .time_ns = time_ns};
}

static int
read_earnings(struct store *s, const char *device, standing_problem_fn *ask, void *arg,
              const atomic_bool *stop, struct earnings *e, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_STANDING, "tt", device, HOUSE_USER);
    struct read_board b = {0};
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        const char *problem = (const char *)sqlite3_column_text(st, 0);
        const char *meaning = (const char *)sqlite3_column_text(st, 1);

        if (atomic_load(stop)) {
            sqlite3_reset(st);
            rc = report_fail(r, "the daemon ends");
            break;
        }
        if (b.problem != NULL &&
            (strcmp(b.problem, problem) != 0 || strcmp(b.meaning, meaning) != 0))
            end_board(e, &b);
        begin_board(&b, problem, meaning, ask, arg);
        if (b.counts)
            earnings_add(e, sqlite3_column_int64(st, 2), sqlite3_column_double(st, 3));
    }
    if (rc == SQLITE_DONE)
        end_board(e, &b);
    read_board_free(&b);
    return rc == SQLITE_DONE ? 0 : -1;
}

/* --- putting in order --------------------------------------------------- */

static int
compare_earned(const void *a, const void *b)
{
    const struct earned *one = a, *other = b;

    return (one->user > other->user) - (one->user < other->user);
}

static int
compare_rows(const void *a, const void *b)
{
    const struct standing_row *one = a, *other = b;

    if (one->points != other->points)
        return one->points > other->points ? -1 : 1;
    return (one->user > other->user) - (one->user < other->user);
}

/* Adds up what each user has earned. The rows come out in the order of users. */
static void
add_up(const struct earnings *e, struct standing *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct earned *one = &e->row[i];
        struct standing_row *row;

        if (i == 0 || e->row[i - 1].user != one->user)
            out->row[out->count++] = (struct standing_row){.user = one->user};
        row = &out->row[out->count - 1];
        row->points += one->points;
        row->solved[one->difficulty]++;
        row->fastest += one->fastest;
    }
}

/* A user and its row, to find rows by users. */
struct user_row {
    int64_t user;
    size_t row;
};

static int
compare_users(const void *a, const void *b)
{
    const struct user_row *one = a, *other = b;

    return (one->user > other->user) - (one->user < other->user);
}

static void
index_users(struct standing *s)
{
    struct user_row *list = xcalloc(s->count + 1, sizeof *list);

    s->by_user = xcalloc(s->count + 1, sizeof *s->by_user);
    for (size_t i = 0; i < s->count; i++)
        list[i] = (struct user_row){s->row[i].user, i};
    qsort(list, s->count, sizeof *list, compare_users);
    for (size_t i = 0; i < s->count; i++)
        s->by_user[i] = list[i].row;
    free(list);
}

int
standing_read(struct store *s, const char *device, standing_problem_fn *problem,
              void *arg, const atomic_bool *stop, struct standing *out, struct report *r)
{
    struct earnings e = {.row = xcalloc(1, sizeof *e.row), .capacity = 1};
    struct standing made = {0};

    if (read_earnings(s, device, problem, arg, stop, &e, r) != 0) {
        free(e.row);
        return -1;
    }
    qsort(e.row, e.count, sizeof *e.row, compare_earned);
    made.row = xcalloc(e.count + 1, sizeof *made.row);
    add_up(&e, &made);
    free(e.row);
    qsort(made.row, made.count, sizeof *made.row, compare_rows);
    for (size_t i = 0; i < made.count; i++)
        made.row[i].rank = i > 0 && made.row[i].points == made.row[i - 1].points
                               ? made.row[i - 1].rank
                               : (int64_t)i + 1;
    index_users(&made);
    *out = made;
    return 0;
}

/* --- users -------------------------------------------------------------- */

int
store_user_names(struct store *s, int64_t user, char **name, char **display_name,
                 struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_STANDING_USER, "i", user);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *name = *display_name = NULL;
    if (rc == SQLITE_ROW) {
        *name = store_column_copy(st, 0);
        *display_name = store_column_copy(st, 1);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_user_number(struct store *s, const char *name, int64_t *user, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_STANDING_NUMBER, "t", name);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *user = 0;
    if (rc == SQLITE_ROW) {
        *user = sqlite3_column_int64(st, 0);
        sqlite3_reset(st);
    }
    return 0;
}

uint64_t
store_changes(const struct store *s)
{
    return (uint64_t)sqlite3_total_changes64(s->db);
}
