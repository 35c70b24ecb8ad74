/* The API's answer to a submission: it is checked, stored and queued. */
#include "daemon/api.h"

#include "daemon/connections.h"
#include "daemon/daemon.h"
#include "daemon/idempotency.h"
#include "daemon/log.h"
#include "daemon/queue.h"
#include "daemon/quota.h"
#include "daemon/request.h"
#include "daemon/specs.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>

/* The device that a request names, if device and problem exist and fit. NULL after having
 * answered. */
static const struct device_entry *
check_target(struct http_call *c, const struct submit_request *s)
{
    const struct devices *devices = &c->daemon->devices;
    const struct device_entry *e = &devices->entry[0];
    const struct problem *p;
    struct report r = {0};
    bool exists;

    p = specs_get(c->daemon->specs, s->problem, &exists, &r);
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

static void
api_take_submission(struct http_call *c, const struct submit_request *s, const char *user,
                    const struct device_entry *e, const struct call_key *key)
{
    struct daemon *d = c->daemon;
    struct new_submission n = {
        .user = user,
        .problem = s->problem,
        .device = e->name,
        .board = e->board,
        .filename = s->filename,
        .source = s->source,
        .sample_tests_only = s->sample_tests_only,
        .profile = s->profile,
    };
    struct report r = {0};
    int64_t id;
    cJSON *o;

    if (queue_length(d->queue) >= QUEUE_MAX) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(c, ERROR_QUEUE_FULL, NULL,
                      "%d submissions wait already: try again later", QUEUE_MAX);
        return;
    }
    if (queue_places(d->queue, user) >= QUEUE_PER_PERSON) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(
            c, ERROR_QUEUE_SHARE, NULL,
            "%d submissions of yours wait already: try again when some are done",
            QUEUE_PER_PERSON);
        return;
    }
    /* The commit holds the loop for one flush to the disk: 0.4 ms on an SSD, and some
     * milliseconds on a slow disk. There are two for each submission, and judging one
     * takes at least 100 ms. */
    if (store_submit(d->store, &n, &id, &r) != 0) {
        log_line("a submission cannot be stored: %s", r.text);
        reply_error(c, 503, "%s", r.text);
        return;
    }
    idempotency_keep(d->idempotency, key, id);
    o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "id", (double)id);
    reply_json(c, 201, o);
    queue_add(d->queue, id, &n);
    queue_step(d->queue);
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

void
api_submit(struct http_call *c)
{
    struct submit_request s;
    struct error_about about;
    struct report r = {0};
    const struct device_entry *e;
    char name[USER_BYTES_MAX + 1];
    struct call_key key;
    size_t len = 0;
    const char *body = call_body(c, &len);
    int status;

    if (c->daemon->draining) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(c, ERROR_STOPPING, NULL,
                      "the judge is being stopped: submit again when it is back");
        return;
    }
    if (submit_request_parse(body, len, &s, &about, &r) != 0) {
        reply_problem(c, about.code, about.field, "%s", r.text);
        return;
    }
    status = rights_submit_name(c->daemon, &c->who, s.user, name, &r);
    if (status == 0 && s.user == NULL && user_name_check(name, &r) != 0)
        status = 400;
    if (status == 400)
        reply_problem(c, s.user == NULL ? ERROR_MISSING_MEMBER : ERROR_INVALID_MEMBER,
                      "/user", "%s", r.text);
    else if (status != 0)
        reply_refused(c, status, &r);
    else if (idempotency_admit(c, name, body, len, &key) &&
             (e = check_target(c, &s)) != NULL && check_quota(c, name))
        api_take_submission(c, &s, name, e, &key);
    submit_request_free(&s);
}
