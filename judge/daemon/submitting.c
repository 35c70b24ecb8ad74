#include "daemon/submitting.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/api.h"
#include "daemon/connections.h"
#include "daemon/daemon.h"
#include "daemon/due_json.h"
#include "daemon/hiding.h"
#include "daemon/idempotency.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/queue.h"
#include "daemon/quota.h"
#include "daemon/specs.h"
#include "problem/own_case.h"
#include "record/store.h"

#include <event2/event.h>
#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The queue's step after a submission sorts all that wait. It comes later by so much for
 * each of them, so that one step serves all that have come meanwhile. */
#define STEP_DELAY_US 20

/* One transaction stores so many submissions, or so many bytes of sources. */
#define BATCH_COUNT 16
#define BATCH_BYTES ((size_t)64 << 10)

/* One that waits. */
struct incoming {
    struct incoming *next;
    struct http_call call;
    struct submit_request request;
    char name[USER_BYTES_MAX + 1];
    uint64_t rights; /* the version of rights by which it may have that name */
    char sha256[65]; /* of the source; empty: not computed yet */
    struct call_key key;
    struct submission_key stored_key;
    struct new_submission row;
    char *own_case; /* as it is stored; NULL: none */
};

struct submitting {
    struct daemon *daemon;
    struct event *step, *judge; /* judge: the queue's step, after some were stored */
    struct incoming *first, **end;
};

int
submitting_name(struct daemon *d, const struct identity *who,
                const struct submit_request *s, char name[USER_BYTES_MAX + 1],
                struct report *r)
{
    int status = profile_is_graded(s->profile) ? rights_grade(who, r) : 0;

    if (status == 0)
        status = rights_submit_name(d, who, s->user, name, r);
    if (status == 0 && s->user == NULL && user_name_check(name, r) != 0)
        status = 400;
    return status;
}

const struct device_entry *
submitting_device(struct http_call *c, const struct submit_request *s)
{
    const struct devices *devices = &c->daemon->devices;
    const struct device_entry *e = &devices->entry[0];
    const struct problem *p;
    struct report r = {0};
    bool exists;

    p = hiding_get(c->daemon->hiding, &c->who, s->problem, &exists, &r);
    if (p == NULL) {
        if (exists)
            reply_failure(c, &r);
        else
            reply_problem(c, ERROR_NO_SUCH_PROBLEM, "/problem", "%s", r.text);
        return NULL;
    }
    if (s->device != NULL)
        e = devices_find(devices, s->device);
    if (e == NULL) {
        char *names = devices_names(devices);

        reply_problem(c, ERROR_NO_SUCH_DEVICE, "/device",
                      "there is no device \"%.80s\": this machine has %s", s->device,
                      names);
        free(names);
    } else if (devices_take(devices, e, p, &r) != 0) {
        reply_problem(c, ERROR_UNFIT_DEVICE, "/device", "%s", r.text);
        return NULL;
    }
    return e;
}

/* Checks the case of one's own against the problem, and prints it to be stored. False
 * after having answered. */
static bool
check_own_case(struct incoming *in, const char *device)
{
    const struct submit_request *s = &in->request;
    char below[OWN_CASE_FIELD_MAX], field[OWN_CASE_FIELD_MAX + 16];
    struct own_case own;
    struct report r = {0};
    bool exists;
    const struct problem *p;

    if (s->own_case == NULL)
        return true;
    p = specs_get(in->call.daemon->specs, s->problem, &exists, &r);
    if (p == NULL) {
        reply_failure(&in->call, &r);
        return false;
    }
    if (own_case_read(s->own_case, p, device, &own, below, &r) != 0) {
        snprintf(field, sizeof field, "/own_case%s", below);
        reply_problem(&in->call, ERROR_INVALID_MEMBER, field, "%s", r.text);
        return false;
    }
    own_case_free(&own);
    free(in->own_case);
    in->own_case = cJSON_PrintUnformatted(s->own_case);
    if (in->own_case == NULL)
        die(4, "out of memory");
    return true;
}

/* Has this name room in its quotas? Says in headers how much is left. False after having
 * answered. */
static bool
check_quota(struct http_call *c, const char *name)
{
    struct quota q;
    struct report r = {0};
    int64_t retry_s = 0;
    bool room;

    if (quota_of(c->daemon, &c->who, name, &q, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    room = quota_has_room(&q, name, &retry_s, &r);
    quota_add_headers(c, &q, room ? 1 : 0);
    if (room)
        return true;
    reply_retry_after(c, retry_s);
    reply_problem(c, ERROR_QUOTA, NULL, "%s", r.text);
    return false;
}

/* --- checks ------------------------------------------------------------- */

static bool
check_places(struct http_call *c, const char *name, bool graded, size_t stored)
{
    const struct queue *q = c->daemon->queue;
    const size_t most = graded ? QUEUE_GRADED_MAX : QUEUE_MAX;

    if (queue_length(q) + stored >= most) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(c, ERROR_QUEUE_FULL, NULL,
                      "%zu submissions wait already: try again later", most);
        return false;
    }
    if (queue_places(q, name, graded) >= QUEUE_PER_PERSON) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(
            c, ERROR_QUEUE_SHARE, NULL,
            "%d submissions of yours wait already: try again when some are done",
            QUEUE_PER_PERSON);
        return false;
    }
    return true;
}

/* Finds out again who has sent it where rights have changed since. Meanwhile the account
 * may have been deleted, and the name would be stored anew. False after having answered.
 */
static bool
incoming_may_still(struct incoming *in)
{
    struct http_call *c = &in->call;
    struct daemon *d = c->daemon;
    struct report r = {0};
    int status;

    if (in->rights == store_rights_version(d->store))
        return true;
    status = identity_find(c, &c->who, &r);
    if (status == 0)
        status = rights_check(&d->policy, &c->who, NEED_SUBMIT, &r);
    if (status == 0)
        status = submitting_name(d, &c->who, &in->request, in->name, &r);
    if (status == 0)
        return true;
    reply_refused(c, status, &r);
    return false;
}

/* Can it be stored, beside so many of the same transaction? False after having answered.
 */
static bool
incoming_admit(struct incoming *in, size_t beside)
{
    struct http_call *c = &in->call;
    const struct submit_request *s = &in->request;
    const bool graded = profile_is_graded(s->profile); /* which has places, no quotas */
    const struct device_entry *e;
    size_t len = 0;
    const char *body = call_body(c, &len);

    if (c->daemon->draining) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(c, ERROR_STOPPING, NULL,
                      "the judge is being stopped: submit again when it is back");
        return false;
    }
    if (!incoming_may_still(in) || !idempotency_admit(c, in->name, body, len, &in->key) ||
        (e = submitting_device(c, s)) == NULL || !check_own_case(in, e->name) ||
        (!graded && !check_quota(c, in->name)) ||
        !check_places(c, in->name, graded, beside))
        return false;
    in->stored_key =
        (struct submission_key){.owner = in->key.owner, .body = in->key.body};
    in->row = (struct new_submission){.user = in->name,
                                      .problem = s->problem,
                                      .device = e->name,
                                      .board = e->board,
                                      .filename = s->filename,
                                      .source = s->source,
                                      .sha256 = in->sha256,
                                      .sample_tests_only = s->sample_tests_only,
                                      .profile = s->profile,
                                      .own_case = in->own_case,
                                      .seed = s->seed,
                                      .key = in->key.given ? &in->stored_key : NULL};
    return true;
}

/* --- steps -------------------------------------------------------------- */

static void
incoming_free(struct incoming *in)
{
    submit_request_free(&in->request);
    free(in->own_case);
    free(in);
}

static void
submitting_wake(struct event *step)
{
    static const struct timeval now = {0};

    if (event_add(step, &now) != 0)
        die(4, "out of memory");
}

static void
submitting_wake_judge(struct submitting *all)
{
    const size_t us = queue_length(all->daemon->queue) * STEP_DELAY_US;
    const struct timeval after = {.tv_sec = (time_t)(us / 1000000u),
                                  .tv_usec = (suseconds_t)(us % 1000000u)};

    if (event_add(all->judge, &after) != 0)
        die(4, "out of memory");
}

static struct incoming *
submitting_take_first(struct submitting *all)
{
    struct incoming *in = all->first;

    all->first = in->next;
    if (all->first == NULL)
        all->end = &all->first;
    return in;
}

/* May this one be in a transaction with those? Each of a person counts for the quotas of
 * the next one, and only another of the same person can have its key. */
static bool
incoming_goes_with(const struct incoming *in, struct incoming *const *batch, size_t count,
                   size_t bytes)
{
    if (count == 0)
        return true;
    if (count == BATCH_COUNT || bytes + strlen(in->request.source) > BATCH_BYTES ||
        in->sha256[0] == '\0')
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(batch[i]->name, in->name) == 0)
            return false;
    return true;
}

/* Takes as many as one transaction stores. Those that are refused are answered. */
static size_t
submitting_take(struct submitting *all, struct incoming *batch[BATCH_COUNT])
{
    size_t count = 0, bytes = 0;

    while (all->first != NULL && incoming_goes_with(all->first, batch, count, bytes)) {
        struct incoming *in = submitting_take_first(all);

        if (incoming_admit(in, count)) {
            batch[count++] = in;
            bytes += strlen(in->request.source);
        } else {
            incoming_free(in);
        }
    }
    return count;
}

static void
incoming_answer(struct incoming *in, int64_t id)
{
    struct daemon *d = in->call.daemon;
    cJSON *o = cJSON_CreateObject();
    struct report r = {0};

    cJSON_AddNumberToObject(o, "id", (double)id);
    /* It is stored already, so that a failure here refuses nothing. */
    if (!in->request.sample_tests_only &&
        due_json_add(o, d, &in->call.who, in->name, in->request.problem, now_ms(), &r) !=
            0)
        log_line("submission %lld: its assignments: %s", (long long)id, r.text);
    reply_json(&in->call, 201, o);
    queue_add(d->queue, id, &in->row);
}

/* Stores some. The commit holds the loop for one flush to the disk: 0.4 ms on an SSD, and
 * some milliseconds on a slow disk. */
static void
submitting_store(struct submitting *all)
{
    struct incoming *batch[BATCH_COUNT];
    struct new_submission row[BATCH_COUNT];
    int64_t id[BATCH_COUNT];
    struct report r = {0};
    const size_t count = submitting_take(all, batch);
    bool stored;

    for (size_t i = 0; i < count; i++)
        row[i] = batch[i]->row;
    stored = store_submit_all(all->daemon->store, row, count, id, &r) == 0;
    if (!stored)
        log_line("a submission cannot be stored: %s", r.text);
    for (size_t i = 0; i < count; i++) {
        if (stored)
            incoming_answer(batch[i], id[i]);
        else
            reply_error(&batch[i]->call, 503, "%s", r.text);
        incoming_free(batch[i]);
    }
    if (stored && count > 0 && !evtimer_pending(all->judge, NULL))
        submitting_wake_judge(all);
}

static void
submitting_on_step(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("a submission that has come");
    struct submitting *all = arg;
    struct incoming *in = all->first;

    (void)fd;
    (void)what;
    if (in->sha256[0] == '\0')
        hash_hex(in->request.source, strlen(in->request.source), in->sha256);
    else
        submitting_store(all);
    if (all->first != NULL)
        submitting_wake(all->step);
}

static void
submitting_on_judge(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("the queue, after a submission");
    struct submitting *all = arg;

    (void)fd;
    (void)what;
    queue_step(all->daemon->queue);
}

void
submitting_add(struct submitting *all, const struct http_call *c,
               const struct submit_request *s, const char *name)
{
    struct incoming *in = xcalloc(1, sizeof *in);
    const size_t len = strlen(s->source);

    /* What belongs to the handler's own call is gone by then. */
    in->call = (struct http_call){.daemon = c->daemon,
                                  .req = c->req,
                                  .who = c->who,
                                  .foreign = c->foreign,
                                  .v1 = c->v1,
                                  .taker = c->taker};
    in->request = *s;
    in->rights = store_rights_version(c->daemon->store);
    snprintf(in->name, sizeof in->name, "%s", name);
    if (len <= BATCH_BYTES)
        hash_hex(s->source, len, in->sha256);
    *all->end = in;
    all->end = &in->next;
    submitting_wake(all->step);
}

struct submitting *
submitting_new(struct daemon *d)
{
    struct submitting *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    all->end = &all->first;
    all->step = evtimer_new(d->base, submitting_on_step, all);
    all->judge = evtimer_new(d->base, submitting_on_judge, all);
    if (all->step == NULL || all->judge == NULL)
        die(4, "out of memory");
    return all;
}

void
submitting_free(struct submitting *all)
{
    if (all == NULL)
        return;
    while (all->first != NULL) {
        struct incoming *in = submitting_take_first(all);

        /* The server frees a request, unless its client has gone. */
        if (evhttp_request_get_connection(in->call.req) == NULL)
            evhttp_request_free(in->call.req);
        if (in->call.taker != NULL)
            in->call.taker->drop(in->call.taker);
        incoming_free(in);
    }
    event_free(all->step);
    event_free(all->judge);
    free(all);
}
