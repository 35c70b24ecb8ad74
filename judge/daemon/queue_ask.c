/* What is asked of the queue about single submissions, persons and devices, and by
 * streams. */
#include "daemon/attempt.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/lease_choice.h"
#include "daemon/people.h"
#include "daemon/told.h"

#include <string.h>

#define STATES_AT_ONCE 64

struct attempt *
queue_attempt(const struct queue *q, int64_t id)
{
    struct attempt *a = queue_first(q);

    while (a != NULL && (a->id != id || a->idle != IDLE_NOT))
        a = a->next;
    return a;
}

void
queue_watch(struct queue *q, int64_t id)
{
    struct attempt *a = queue_attempt(q, id);

    if (a == NULL)
        return;
    a->watchers++;
    told_step(queue_first(q));
}

void
queue_unwatch(struct queue *q, int64_t id)
{
    struct attempt *a = queue_attempt(q, id);

    if (a != NULL)
        a->watchers--;
}

bool
queue_find(const struct queue *q, int64_t id, struct queue_state *out)
{
    const struct attempt *a = queue_attempt(q, id);

    if (a == NULL || attempt_is_recorded(a))
        return false;
    told_state(a, out);
    return true;
}

char *
queue_why_waits(const struct queue *q, int64_t id)
{
    const struct attempt *a = queue_attempt(q, id);

    return a != NULL ? lease_why_waits(a) : NULL;
}

static bool
attempt_is_asked(const struct attempt *a, const struct queue_filter *f, int64_t after)
{
    return a->id > after && !attempt_is_recorded(a) && a->idle == IDLE_NOT &&
           (f->submission == 0 || a->id == f->submission) &&
           (f->user == NULL || strcmp(a->person->name, f->user) == 0) &&
           (f->problem == NULL || strcmp(a->problem, f->problem) == 0) &&
           (f->sees == NULL ||
            f->sees(f->arg, a->problem, a->person->name, profile_is_graded(a->profile)));
}

bool
queue_add_states(const struct queue *q, const struct queue_filter *filter, int64_t *after,
                 struct buf *text)
{
    const struct attempt *next[STATES_AT_ONCE];
    size_t count = 0, at;

    /* The queue is not in the order of ids. Those of the lowest ids are collected. */
    for (const struct attempt *a = queue_first(q); a != NULL; a = a->next) {
        if (!attempt_is_asked(a, filter, *after) ||
            (count == STATES_AT_ONCE && a->id > next[count - 1]->id))
            continue;
        count += count < STATES_AT_ONCE;
        for (at = count - 1; at > 0 && next[at - 1]->id > a->id; at--)
            next[at] = next[at - 1];
        next[at] = a;
    }
    for (at = 0; at < count; at++)
        told_add_state(text, next[at]);
    if (count > 0)
        *after = next[count - 1]->id;
    return count == STATES_AT_ONCE;
}

static cJSON *
attempt_json(const struct attempt *a)
{
    struct queue_state state;
    cJSON *o = cJSON_CreateObject();

    told_state(a, &state);
    cJSON_AddNumberToObject(o, "id", (double)a->id);
    cJSON_AddStringToObject(o, "user", a->person->name);
    cJSON_AddStringToObject(o, "problem", a->problem);
    cJSON_AddStringToObject(o, "device", a->device);
    cJSON_AddStringToObject(o, "state", state.state);
    if (state.position > 0) {
        cJSON_AddNumberToObject(o, "position", state.position);
        cJSON_AddNumberToObject(o, "estimate_seconds", state.estimate_s);
    }
    return o;
}

cJSON *
queue_json(const struct queue *q)
{
    static const struct queue_filter ALL = {0};
    cJSON *list = cJSON_CreateArray();
    int64_t after = 0;

    /* The queue is not in the order of ids. */
    for (int i = 0; i < QUEUE_LISTED; i++) {
        const struct attempt *next = NULL;

        for (const struct attempt *a = queue_first(q); a != NULL; a = a->next)
            if (attempt_is_asked(a, &ALL, after) && (next == NULL || a->id < next->id))
                next = a;
        if (next == NULL)
            break;
        cJSON_AddItemToArray(list, attempt_json(next));
        after = next->id;
    }
    return list;
}

bool
queue_device_busy(const struct queue *q, const char *device)
{
    for (const struct attempt *a = queue_first(q); a != NULL; a = a->next)
        if ((a->arbiter != NULL || a->lease != NULL) &&
            (strcmp(a->device, device) == 0 ||
             (a->partner != NULL && strcmp(a->partner, device) == 0)))
            return true;
    return false;
}

int
queue_in_flight(const struct queue *q, const char *user, int *first_s)
{
    const uint64_t now = now_ns();
    double first_ms = 0;
    int count = 0;

    if (queue_places(q, user, false) == 0)
        return 0;
    for (const struct attempt *a = queue_first(q); a != NULL; a = a->next) {
        const double ms = a->wait_ms + attempt_left_ms(a, now);

        if (attempt_is_recorded(a) || profile_is_graded(a->profile) ||
            strcmp(a->person->name, user) != 0)
            continue;
        first_ms = count == 0 || ms < first_ms ? ms : first_ms;
        count++;
    }
    *first_s = (int)(first_ms / 1000) + 1;
    return count;
}
