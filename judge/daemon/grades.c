#include "daemon/grades.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/grades_equal.h"
#include "daemon/meanings.h"
#include "record/rank.h"

#include <stdlib.h>
#include <string.h>

#define SUBMISSIONS_AT_ONCE 64
#define GRADES_RANKED_AT_ONCE 500

void
grades_free(struct grades *g)
{
    for (size_t i = 0; i < GRADED_LISTS; i++)
        for (struct graded_board *b = g->list[i], *next; b != NULL; b = next) {
            next = b->next;
            free(b->problem);
            free(b->board);
            free(b->today);
            free(b);
        }
    free(g->row);
    *g = (struct grades){0};
}

/* --- collecting ---------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t
hash_add(uint32_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The board of a submission, made where there is none. */
static struct graded_board *
grades_board(struct grades *g, struct daemon *d, const struct person *p,
             const struct graded *sub)
{
    struct graded_board **at =
        &g->list[hash_add(hash_add(2166136261u, sub->problem), sub->board) %
                 GRADED_LISTS];

    while (*at != NULL && (strcmp((*at)->problem, sub->problem) != 0 ||
                           strcmp((*at)->board, sub->board) != 0))
        at = &(*at)->next;
    if (*at == NULL) {
        *at = xcalloc(1, sizeof **at);
        **at = (struct graded_board){
            .problem = xstrdup(sub->problem),
            .board = xstrdup(sub->board),
            .today = xstrdup(
                meanings_get_since(d->meanings, sub->problem, sub->board, p->since_ns)),
            .first = GRADE_NONE,
            .last = GRADE_NONE};
    }
    return *at;
}

/* The person's grade for a board, made where there is none. */
static struct grade *
grades_of(struct grades *g, size_t person, struct graded_board *b)
{
    if (b->last != GRADE_NONE && g->row[b->last].person == person)
        return &g->row[b->last];
    if (g->count == 0 || (g->count & (g->count - 1)) == 0)
        g->row = xrealloc(g->row, (g->count > 0 ? g->count * 2 : 1) * sizeof *g->row);
    g->row[g->count] = (struct grade){
        .person = person, .problem = b->problem, .board = b->board, .next = GRADE_NONE};
    if (b->last == GRADE_NONE)
        b->first = g->count;
    else
        g->row[b->last].next = g->count;
    b->last = g->count;
    b->count++;
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

struct grades_looking {
    struct grades *grades;
    struct daemon *daemon;
    const struct person *person;
    struct grades_equal *equal;
};

static void
grades_take(void *arg, const struct graded *sub)
{
    struct grades_looking *l = arg;
    struct graded_board *b;

    grades_equal_note(l->equal, l->person->index, sub);
    if (!sub->counts)
        return;
    b = grades_board(l->grades, l->daemon, l->person, sub);
    grade_count(grades_of(l->grades, l->person->index, b), sub,
                strcmp(b->today, sub->meaning) == 0);
}

int
grades_add(struct grades *g, struct daemon *d, const struct person *p,
           struct grades_equal *equal, int64_t *after, bool *more, struct report *r)
{
    struct grades_looking l = {g, d, p, equal};

    return store_look_at_graded(d->store, p->account, p->until_ms, SUBMISSIONS_AT_ONCE,
                                grades_take, &l, after, more, r);
}

/* --- ranks --------------------------------------------------------------- */

struct ordered_grade {
    struct grade *grade;
};

/* The fastest first. */
static int
compare_places(const void *a, const void *b)
{
    const struct grade *one = ((const struct ordered_grade *)a)->grade;
    const struct grade *other = ((const struct ordered_grade *)b)->grade;

    if (measured_precedes(&one->time, &other->time))
        return -1;
    if (measured_precedes(&other->time, &one->time))
        return 1;
    return (one->person > other->person) - (one->person < other->person);
}

static void
rank_board(struct grades *g, const struct graded_board *b)
{
    struct ordered_grade *order = xcalloc(b->count, sizeof *order);
    struct measured *times = xcalloc(b->count, sizeof *times);
    struct place *places = xcalloc(b->count, sizeof *places);
    size_t n = 0;

    for (size_t i = b->first; i != GRADE_NONE; i = g->row[i].next)
        if (g->row[i].best != 0)
            order[n++].grade = &g->row[i];
    qsort(order, n, sizeof *order, compare_places);
    for (size_t i = 0; i < n; i++)
        times[i] = order[i].grade->time;
    places_of_sorted(times, n, places);
    for (size_t i = 0; i < n; i++)
        order[i].grade->rank = place_rank(&places[i]);
    free(order);
    free(times);
    free(places);
}

bool
grades_rank(struct grades *g)
{
    size_t count = 0;

    while (count < GRADES_RANKED_AT_ONCE) {
        while (g->unranked == NULL && g->ranked < GRADED_LISTS)
            g->unranked = g->list[g->ranked++];
        if (g->unranked == NULL)
            return false;
        rank_board(g, g->unranked);
        count += g->unranked->count;
        g->unranked = g->unranked->next;
    }
    return true;
}

static int
compare_rows(const void *a, const void *b)
{
    const struct grade *one = a, *other = b;
    const int order = strcmp(one->problem, other->problem);

    return order != 0 ? order : strcmp(one->board, other->board);
}

void
grades_sort(struct grades *g, size_t first, size_t end)
{
    if (first < end)
        qsort(&g->row[first], end - first, sizeof *g->row, compare_rows);
}
