#include "daemon/grades.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/meanings.h"
#include "record/rank.h"

#include <stdlib.h>
#include <string.h>

#define SUBMISSIONS_AT_ONCE 32

void
grades_free(struct grades *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->row[i].problem);
        free(g->row[i].board);
    }
    free(g->row);
    *g = (struct grades){0};
}

/* The grade of a person for a submission's problem and board, made where there is none.
 * The person's are the last ones. */
static struct grade *
grades_of(struct grades *g, size_t person, const struct graded *sub)
{
    for (size_t i = g->count; i > 0 && g->row[i - 1].person == person; i--)
        if (strcmp(g->row[i - 1].problem, sub->problem) == 0 &&
            strcmp(g->row[i - 1].board, sub->board) == 0)
            return &g->row[i - 1];
    if (g->count == 0 || (g->count & (g->count - 1)) == 0)
        g->row = xrealloc(g->row, (g->count > 0 ? g->count * 2 : 1) * sizeof *g->row);
    g->row[g->count] = (struct grade){
        .person = person, .problem = xstrdup(sub->problem), .board = xstrdup(sub->board)};
    return &g->row[g->count++];
}

static void
grade_count(struct grade *grade, const struct graded *sub, bool current)
{
    const bool accepted = sub->verdict == VERDICT_ACCEPTED;

    grade->attempts++;
    if (accepted || grade->first_ms == 0)
        grade->verdict = sub->verdict;
    if (accepted && grade->first_ms == 0)
        grade->first_ms = sub->created_ms;
    if (accepted && current && sub->time.time_ns > 0 &&
        (grade->best == 0 || sub->time.time_ns < grade->time.time_ns)) {
        grade->best = sub->id;
        grade->best_ms = sub->created_ms;
        grade->time = sub->time;
        grade->roofline_ns = sub->roofline_ns;
    }
}

int
grades_add(struct grades *g, struct daemon *d, const struct person *p, int64_t *after,
           bool *more, struct report *r)
{
    struct graded_list list;

    if (store_graded(d->store, p->account, p->until_ms, *after, SUBMISSIONS_AT_ONCE,
                     &list, r) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        const struct graded *sub = &list.row[i];
        const char *today =
            meanings_get_since(d->meanings, sub->problem, sub->board, p->since_ns);

        grade_count(grades_of(g, p->index, sub), sub, strcmp(today, sub->meaning) == 0);
        *after = sub->id;
    }
    *more = list.count == SUBMISSIONS_AT_ONCE;
    graded_list_free(&list);
    return 0;
}

/* --- ranks --------------------------------------------------------------- */

static int
compare_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* By problem and board, and the fastest first; those without a time come last. */
static int
compare_places(const void *a, const void *b)
{
    const struct grade *one = a, *other = b;
    int order = strcmp(one->problem, other->problem);

    if (order == 0)
        order = strcmp(one->board, other->board);
    if (order == 0)
        order = (one->best == 0) - (other->best == 0);
    if (order == 0 && measured_precedes(&one->time, &other->time))
        return -1;
    if (order == 0 && measured_precedes(&other->time, &one->time))
        return 1;
    return order != 0 ? order : compare_numbers(one->person, other->person);
}

static int
compare_rows(const void *a, const void *b)
{
    const struct grade *one = a, *other = b;
    int order = compare_numbers(one->person, other->person);

    if (order == 0)
        order = strcmp(one->problem, other->problem);
    return order != 0 ? order : strcmp(one->board, other->board);
}

static bool
is_of_board(const struct grade *one, const struct grade *other)
{
    return other->best != 0 && strcmp(one->problem, other->problem) == 0 &&
           strcmp(one->board, other->board) == 0;
}

/* Ranks those of one board, which come first. Returns how many these are. */
static size_t
rank_board_of(struct grade *row, size_t count)
{
    struct measured *times;
    struct place *places;
    size_t n = 0;

    while (n < count && is_of_board(row, &row[n]))
        n++;
    times = xcalloc(n, sizeof *times);
    places = xcalloc(n, sizeof *places);
    for (size_t i = 0; i < n; i++)
        times[i] = row[i].time;
    places_of_sorted(times, n, places);
    for (size_t i = 0; i < n; i++)
        row[i].rank = place_rank(&places[i]);
    free(times);
    free(places);
    return n;
}

void
grades_rank(struct grades *g)
{
    if (g->count == 0)
        return;
    qsort(g->row, g->count, sizeof *g->row, compare_places);
    for (size_t i = 0; i < g->count;)
        i += g->row[i].best != 0 ? rank_board_of(&g->row[i], g->count - i) : 1;
    qsort(g->row, g->count, sizeof *g->row, compare_rows);
}
