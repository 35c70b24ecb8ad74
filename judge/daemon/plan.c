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
#define TURN_BEHIND 1e300 /* of what is judged again by an admin's wish */

/* 0 where it waits for its person. */
static int
attempt_turn(const struct attempt *a)
{
    if (a->phase >= RUNNING)
        return TURN_BEGUN;
    if (a->number > 1)
        return TURN_AGAIN;
    return a->arbiter != NULL ? TURN_PREPARED : 0;
}

static int
by_id(const void *x, const void *y)
{
    const struct attempt *a = *(struct attempt *const *)x;
    const struct attempt *b = *(struct attempt *const *)y;

    return (a->id > b->id) - (a->id < b->id);
}

static int
by_turn(const void *x, const void *y)
{
    const struct attempt *a = *(struct attempt *const *)x;
    const struct attempt *b = *(struct attempt *const *)y;

    if (a->turn < b->turn || b->turn < a->turn)
        return a->turn < b->turn ? -1 : 1;
    if (a->turn < 0) /* in the order in which they have begun */
        return (a->place > b->place) - (a->place < b->place);
    if (a->sample_tests_only != b->sample_tests_only)
        return a->sample_tests_only ? -1 : 1;
    return by_id(x, y);
}

/* Gives turns to those who wait with or without `run`, in the order of their ids. */
static void
plan_turns(struct attempt **list, size_t count, bool sample_tests_only)
{
    for (size_t i = 0; i < count; i++) {
        struct attempt *a = list[i];

        if (a->turn < 0 || a->sample_tests_only != sample_tests_only)
            continue;
        if (a->rejudgement != 0) {
            a->turn = TURN_BEHIND;
            continue;
        }
        a->turn = a->person->planned_ms;
        a->person->planned_ms += a->cost_ms;
    }
}

void
plan_sort(struct attempt **first, struct attempt ***end)
{
    const uint64_t now = now_ns();
    struct attempt **list;
    size_t count = 0, i = 0;

    for (struct attempt *a = *first; a != NULL; a = a->next)
        count++;
    list = xcalloc(count + 1, sizeof(struct attempt *));
    for (struct attempt *a = *first; a != NULL; a = a->next) {
        a->place = (int)i;
        a->person->planned_ms = person_use_ms(a->person, now);
        list[i++] = a;
    }
    for (i = 0; i < count; i++) {
        struct attempt *a = list[i];

        a->turn = attempt_turn(a);
        if (a->turn < 0 && a->phase != DRAINING)
            a->person->planned_ms += a->cost_ms;
    }
    qsort(list, count, sizeof(struct attempt *), by_id);
    plan_turns(list, count, true);
    plan_turns(list, count, false);
    qsort(list, count, sizeof(struct attempt *), by_turn);
    *end = first;
    for (i = 0; i < count; i++) {
        **end = list[i];
        *end = &list[i]->next;
    }
    **end = NULL;
    free(list);
}

void
plan_insert(struct attempt **first, struct attempt ***end, struct attempt *a)
{
    struct attempt **at = first;

    a->turn = a->rejudgement != 0 ? TURN_BEHIND : a->person->planned_ms;
    a->person->planned_ms += a->cost_ms;
    while (*at != NULL && by_turn(at, &a) < 0)
        at = &(*at)->next;
    a->next = *at;
    *at = a;
    if (a->next == NULL)
        *end = &a->next;
}
