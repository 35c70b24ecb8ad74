#include "daemon/plan.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/attempt.h"
#include "daemon/people.h"

#include <stdlib.h>

/* Turns of what does not wait for its person. */
#define TURN_BEGUN (-3)
#define TURN_AGAIN (-2)
#define TURN_PREPARED (-1)
#define TURN_GRADED 1e15  /* in ms: what is graded in bulk has its turns from here on */
#define TURN_BEHIND 1e300 /* of what is judged in idle time */

/* 0 where it waits for its person. */
static int
attempt_turn(const struct attempt *a)
{
    if (a->phase >= RUNNING || a->lease != NULL)
        return TURN_BEGUN;
    if (a->number > 1)
        return TURN_AGAIN;
    return a->arbiter != NULL ? TURN_PREPARED : 0;
}

/* What the order of an attempt follows from. Thousands are sorted, so that no comparison
 * looks at the attempts themselves. */
struct planned {
    struct attempt *attempt;
    int64_t id;
    double turn;
    int place; /* in the list as it was */
    bool run;
    bool graded; /* in bulk */
};

static int
by_id(const void *x, const void *y)
{
    const struct planned *a = x, *b = y;

    return (a->id > b->id) - (a->id < b->id);
}

static int
by_turn(const void *x, const void *y)
{
    const struct planned *a = x, *b = y;

    if (a->turn < b->turn || b->turn < a->turn)
        return a->turn < b->turn ? -1 : 1;
    if (a->turn < 0) /* in the order in which they have begun */
        return (a->place > b->place) - (a->place < b->place);
    if (a->run != b->run)
        return a->run ? -1 : 1;
    return by_id(x, y);
}

/* Gives turns to those who wait with or without `run`, or to what is graded, in the order
 * of their ids. */
static void
plan_turns(struct planned *list, size_t count, bool run, bool graded)
{
    for (size_t i = 0; i < count; i++) {
        struct person *person = list[i].attempt->person;

        if (list[i].turn < 0 || list[i].run != run || list[i].graded != graded)
            continue;
        if (list[i].attempt->idle != IDLE_NOT) {
            list[i].turn = TURN_BEHIND;
            continue;
        }
        list[i].turn = person->planned_ms + (graded ? TURN_GRADED : 0);
        person->planned_ms += list[i].attempt->cost_ms;
    }
}

/* The attempts of a list, in its order. Each person's plan begins with what they have
 * used, and with those attempts that do not wait for them. */
static struct planned *
plan_read(struct attempt *first, size_t *count)
{
    const uint64_t now = now_ns();
    struct planned *list;
    size_t n = 0;

    for (struct attempt *a = first; a != NULL; a = a->next) {
        a->person->planned_ms = -1;
        n++;
    }
    list = xcalloc(n + 1, sizeof *list);
    *count = n;
    n = 0;
    for (struct attempt *a = first; a != NULL; a = a->next, n++) {
        if (a->person->planned_ms < 0)
            a->person->planned_ms = person_use_ms(a->person, now);
        list[n] = (struct planned){.attempt = a,
                                   .id = a->id,
                                   .turn = attempt_turn(a),
                                   .place = (int)n,
                                   .run = a->sample_tests_only &&
                                          !profile_is_graded(a->profile),
                                   .graded = profile_is_graded(a->profile)};
        if (list[n].turn < 0 && a->phase != DRAINING)
            a->person->planned_ms += a->cost_ms;
    }
    return list;
}

void
plan_sort(struct attempt **first, struct attempt ***end)
{
    size_t count;
    struct planned *list = plan_read(*first, &count);

    qsort(list, count, sizeof *list, by_id);
    plan_turns(list, count, true, false);
    plan_turns(list, count, false, false);
    plan_turns(list, count, false, true);
    qsort(list, count, sizeof *list, by_turn);
    *end = first;
    for (size_t i = 0; i < count; i++) {
        **end = list[i].attempt;
        *end = &list[i].attempt->next;
    }
    **end = NULL;
    free(list);
}
