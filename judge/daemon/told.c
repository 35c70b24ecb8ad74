/* Makes events of where submissions stand. */
#include "daemon/told.h"

#include "base/buf.h"
#include "daemon/api.h"
#include "daemon/attempt.h"
#include "daemon/events.h"
#include "daemon/lease_choice.h"
#include "daemon/log.h"
#include "daemon/people.h"
#include "daemon/request.h"
#include "daemon/streams.h"
#include "record/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[] = {[TOLD_QUEUED] = "queued",
                                    [TOLD_COMPILING] = "compiling",
                                    [TOLD_WAITING] = "waiting",
                                    [TOLD_RUNNING] = "running"};

/* One that could not be stored, on a full disk, does not count, but is another. */
static int
told_attempt_number(const struct attempt *a)
{
    return a->number + a->uncounted;
}

static enum told
told_now(const struct attempt *a)
{
    static const enum told OF_PHASE[] = {
        [QUEUED] = TOLD_QUEUED,   [COMPILING] = TOLD_COMPILING, [READY] = TOLD_WAITING,
        [RUNNING] = TOLD_RUNNING, [READING] = TOLD_RUNNING,     [UNSAVED] = TOLD_QUEUED,
        [DRAINING] = TOLD_QUEUED};
    /* What is read of a worker that only compiles is no verdict: its judgement follows.
     */
    const enum told now = a->phase == READING && lease_is_ahead(a) && !lease_is_judged(a)
                              ? TOLD_COMPILING
                              : OF_PHASE[a->phase];

    return a->told_attempt == told_attempt_number(a) && a->told > now ? a->told : now;
}

void
told_state(const struct attempt *a, struct queue_state *out)
{
    const enum told now = told_now(a);
    const bool waits =
        (a->phase == QUEUED || a->phase == READY || a->phase == DRAINING) &&
        now != TOLD_RUNNING;

    *out = (struct queue_state){.state = NAMES[now],
                                .position = waits ? a->ahead + 1 : 0,
                                .estimate_s = waits ? attempt_estimate_s(a) : 0,
                                .attempt = told_attempt_number(a),
                                .last_event = a->last_event};
}

/* --- the texts of events ------------------------------------------------ */

static void
add_event(struct buf *b, const char *name, cJSON *data)
{
    buf_printf(b, "event: %s\ndata: ", name);
    buf_add_json(b, data);
    buf_puts(b, "\n\n");
}

static cJSON *
submission_data(int64_t id, int attempt, const char *state)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "submission", (double)id);
    cJSON_AddNumberToObject(o, "attempt", attempt);
    cJSON_AddStringToObject(o, "state", state);
    return o;
}

static void
add_names(cJSON *o, const char *user, const char *problem, const char *device,
          const char *mode)
{
    cJSON_AddStringToObject(o, "user", user);
    cJSON_AddStringToObject(o, "problem", problem);
    cJSON_AddStringToObject(o, "device", device);
    cJSON_AddStringToObject(o, "mode", mode);
}

void
told_add_state(struct buf *b, const struct attempt *a)
{
    struct queue_state now;
    cJSON *o;

    told_state(a, &now);
    o = submission_data(a->id, now.attempt, now.state);
    if (now.position > 0) {
        cJSON_AddNumberToObject(o, "position", now.position);
        cJSON_AddNumberToObject(o, "estimate_seconds", now.estimate_s);
    }
    add_names(o, a->person->name, a->problem, a->device,
              request_mode_name(a->sample_tests_only, a->profile));
    add_event(b, "state", o);
}

void
told_add_done(struct buf *b, const struct submission *sub)
{
    const struct timing *t = &sub->result.timing;
    cJSON *o = submission_data(sub->id, sub->attempt, "done");

    cJSON_AddStringToObject(o, "verdict", verdict_name(sub->result.verdict));
    if (t->present)
        cJSON_AddNumberToObject(o, "time_ns", t->median_ns);
    else
        cJSON_AddNullToObject(o, "time_ns");
    add_names(o, sub->user, sub->problem, sub->device,
              request_mode_name(sub->sample_tests_only, sub->profile));
    add_event(b, "done", o);
}

/* --- telling ------------------------------------------------------------ */

static void
tell(struct attempt *a, enum event_kind kind, const char *user, const struct buf *text)
{
    events_add(a->daemon->events,
               &(struct logged_event){.kind = kind,
                                      .submission = a->id,
                                      .user = user,
                                      .problem = a->problem,
                                      .graded = profile_is_graded(a->profile),
                                      .text = buf_str(text)});
}

static void
tell_line_of_place(struct attempt *a, const struct queue_state *now)
{
    cJSON *o = cJSON_CreateObject();
    struct buf text = {0};

    cJSON_AddStringToObject(o, "event", now->state);
    cJSON_AddNumberToObject(o, "position", now->position);
    cJSON_AddNumberToObject(o, "estimate_seconds", now->estimate_s);
    if (a->line_reason != NULL)
        cJSON_AddStringToObject(o, "waiting_reason", a->line_reason);
    buf_add_json(&text, o);
    attempt_tell(a, "%s", buf_str(&text));
    buf_free(&text);
    a->line_position = now->position;
}

/* The place of one that is watched as lines, and why it waits, where either is another.
 */
static void
told_step_line(struct attempt *a, const struct queue_state *now)
{
    char *why = lease_why_waits(a);
    const bool other = why == NULL || a->line_reason == NULL
                           ? why != a->line_reason
                           : strcmp(why, a->line_reason) != 0;

    free(a->line_reason);
    a->line_reason = why;
    if (other || now->position != a->line_position)
        tell_line_of_place(a, now);
}

static void
told_step_one(struct attempt *a)
{
    const enum told now = told_now(a);
    const int number = told_attempt_number(a);
    const bool new_state = now != a->told || number != a->told_attempt;
    struct queue_state state;
    struct buf text = {0};

    if (!new_state && a->watchers == 0)
        return;
    a->told = now;
    a->told_attempt = number;
    told_state(a, &state);
    if (new_state || (state.position > 0 && state.position != a->told_position)) {
        told_add_state(&text, a);
        tell(a, new_state ? EVENT_STATE : EVENT_PLACE, a->person->name, &text);
        a->told_position = state.position;
        buf_free(&text);
    }
    if (a->watchers > 0 && state.position > 0)
        told_step_line(a, &state);
}

void
told_step(struct attempt *first)
{
    for (struct attempt *a = first; a != NULL; a = a->next)
        if (!attempt_is_recorded(a) && a->idle == IDLE_NOT)
            told_step_one(a);
}

void
told_course(struct attempt *a, const char *name, const char *format, ...)
{
    char members[256];
    struct buf text = {0};
    va_list ap;

    if (a->idle != IDLE_NOT)
        return;
    va_start(ap, format);
    vsnprintf(members, sizeof members, format, ap);
    va_end(ap);
    attempt_tell(a, "{\"event\":\"%s\",%s}", name, members);
    buf_printf(&text, "event: %s\ndata: {\"submission\":%lld,\"attempt\":%d,%s}\n\n",
               name, (long long)a->id, told_attempt_number(a), members);
    tell(a, EVENT_COURSE, a->person->name, &text);
    buf_free(&text);
}

void
told_done(struct attempt *a)
{
    struct daemon *d = a->daemon;
    struct submission sub;
    struct report r = {0};
    struct buf text = {0};
    bool found = false;

    if (store_get_row(d->store, a->id, &found, &sub, &r) == 0 && found) {
        /* What is told does not go back, though the store may not know of an attempt. */
        sub.attempt = told_attempt_number(a);
        told_add_done(&text, &sub);
        tell(a, EVENT_DONE, sub.user, &text);
        submission_free(&sub);
    } else {
        log_line("submission %lld: %s", (long long)a->id, r.text);
        events_add_lost(d->events);
    }
    buf_free(&text);
    api_tell_done(d, a->id);
}
