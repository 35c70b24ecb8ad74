/* The API's answers to workers (workers.h), and about them. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "daemon/api_accounts.h"
#include "daemon/attempt.h"
#include "daemon/attempt_lease.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/pages.h"
#include "daemon/queue.h"
#include "daemon/slices.h"
#include "daemon/worker_pairs.h"
#include "daemon/worker_request.h"
#include "daemon/worker_tokens.h"
#include "daemon/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS_LETTER 'w'
#define TOLD_AT_ONCE 32

/* --- the list ----------------------------------------------------------- */

/* A page of the list while it is made. Workers may come and go meanwhile. */
struct told_workers {
    const struct workers *all;
    int64_t before, last; /* the numbers of the next worker, and of the page's last */
    bool begun, any;
};

static int
told_workers_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct told_workers *t = arg;
    const struct worker *w = workers_before(t->all, t->before);

    (void)r;
    if (!t->begun)
        buf_printf(body, "{\"count\":%d,\"workers\":[", workers_count(t->all));
    t->begun = true;
    for (int i = 0; i < TOLD_AT_ONCE && w != NULL && w->number >= t->last; i++) {
        buf_puts(body, t->any ? "," : "");
        buf_add_json(body, worker_json(w));
        t->any = true;
        t->before = w->number;
        w = w->next;
    }
    *more = w != NULL && w->number >= t->last;
    if (!*more)
        buf_puts(body, "]}\n");
    return 0;
}

void
api_workers(struct http_call *c)
{
    static const struct slices_maker MAKER = {told_workers_next, free};
    struct told_workers *t;
    const struct worker *w;
    int64_t before, last = INT64_MAX;
    struct page page;
    char key[24];

    if (!page_take(c, WORKERS_LETTER, PAGE_ROWS, &page) ||
        !page_number(c, &page, &before))
        return;
    w = workers_before(c->daemon->workers, before);
    for (int64_t i = 0; i < page.limit && w != NULL; i++, w = w->next)
        last = w->number;
    if (w != NULL)
        page_add_next(c, WORKERS_LETTER, key,
                      (size_t)snprintf(key, sizeof key, "%lld", (long long)last));
    t = xcalloc(1, sizeof *t);
    *t = (struct told_workers){.all = c->daemon->workers, .before = before, .last = last};
    reply_slices(c, &MAKER, t);
}

/* --- register ----------------------------------------------------------- */

static void
worker_register(struct http_call *c, const struct worker_hello *h)
{
    struct daemon *d = c->daemon;
    struct report r = {0};
    struct worker *w;
    cJSON *o;

    if (rights_work_as(&c->who, h->role, &r) != 0) {
        reply_problem(c, ERROR_FORBIDDEN, "/role", "%s", r.text);
        return;
    }
    if (h->insecure && !d->settings.insecure) {
        reply_problem(c, ERROR_FORBIDDEN, "/insecure",
                      "this judge takes no worker without a sandbox");
        return;
    }
    if (h->role != WORKER_COMPILES &&
        devices_add_board(&d->devices, h->board, h->arch, h->memory_bytes, c->who.token,
                          &r) != 0) {
        reply_problem(c, ERROR_FORBIDDEN, "/board", "%s", r.text);
        return;
    }
    w = workers_add(d->workers, h, &c->who, &r);
    if (w == NULL) {
        reply_later(c, 503, "%s", r.text);
        return;
    }
    if (worker_is_of_pair(w))
        devices_note_pair(&d->devices, w->board->board);
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "worker", w->id);
    cJSON_AddNumberToObject(o, "heartbeat_seconds", workers_heartbeat_s(d->workers));
    cJSON_AddNumberToObject(o, "lease_seconds", d->settings.lease_s);
    cJSON_AddItemToObject(o, "roles", worker_roles_json(c->who.worker_roles));
    cJSON_AddNumberToObject(o, "stay", d->settings.stay);
    reply_json(c, 201, o);
}

void
api_worker_register(struct http_call *c)
{
    struct worker_hello h;
    struct error_about about;
    struct report r = {0};
    size_t len = 0;
    const char *body = call_body(c, &len);

    if (worker_hello_parse(body, len, &h, &about, &r) != 0) {
        reply_problem(c, about.code, about.field, "%s", r.text);
        return;
    }
    worker_register(c, &h);
    worker_hello_free(&h);
}

/* --- what a worker that is registered sends ----------------------------- */

/* Reads a message, and finds its worker. False after having answered. */
static bool
worker_asks(struct http_call *c, struct worker_message *m, struct worker **w)
{
    struct error_about about;
    struct report r = {0};
    size_t len = 0;
    const char *body = call_body(c, &len);

    if (worker_message_parse(body, len, m, &about, &r) != 0) {
        reply_problem(c, about.code, about.field, "%s", r.text);
        return false;
    }
    *w = workers_heard(c->daemon->workers, m->worker, c->who.token);
    if (*w != NULL && rights_work_as(&c->who, (*w)->role, &r) == 0)
        return true;
    if (*w != NULL)
        reply_problem(c, ERROR_FORBIDDEN, "/worker", "%s", r.text);
    else
        reply_problem(c, ERROR_NO_WORKER, "/worker",
                      "the judge does not know this worker any more: it registers again");
    worker_message_free(m);
    return false;
}

/* The same of a message about the attempt that the worker judges. */
static bool
worker_tells(struct http_call *c, struct worker_message *m, struct worker **w)
{
    struct report r = {0};

    if (!worker_asks(c, m, w))
        return false;
    if (lease_is_current(*w, m, &r))
        return true;
    reply_problem(c, ERROR_NO_LEASE, "/fence", "%s", r.text);
    worker_message_free(m);
    return false;
}

void
api_worker_lease(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct worker_message m;
    struct worker *w;

    if (!worker_asks(c, &m, &w))
        return;
    if (w->attempt != NULL && w->attempt->phase == READING) {
        reply_later(c, 503, "the worker's last result is being read: ask again");
        worker_message_free(&m);
        return;
    }
    if (w->attempt != NULL)
        lease_lost(w->attempt, "it has asked for other work instead of judging it");
    worker_wait(w, c, m.wait_s);
    worker_message_free(&m);
    queue_step_soon(d->queue);
}

void
api_worker_heartbeat(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct worker_message m;
    struct worker *w;

    if (!worker_tells(c, &m, &w))
        return;
    if (lease_take_progress(w->attempt, &m))
        queue_step_soon(d->queue);
    worker_message_free(&m);
    reply_done(c);
}

void
api_worker_result(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct worker_message m;
    struct report r = {0};
    struct worker *w;

    if (!worker_tells(c, &m, &w))
        return;
    if (lease_take_part(w->attempt, &m, c, &r) != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/part", "%s", r.text);
    worker_message_free(&m);
    queue_step_soon(d->queue);
}

/* Copies a worker's words for people, clean and bounded. */
static void
reason_copy(const char *reason, char out[WORKER_TEXT_MAX])
{
    utf8_clean_copy(out, WORKER_TEXT_MAX, reason);
    for (char *at = out; *at != '\0'; at++)
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
}

void
api_worker_return(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct worker_message m;
    struct worker *w;
    char reason[WORKER_TEXT_MAX];

    if (!worker_tells(c, &m, &w))
        return;
    reason_copy(m.reason, reason);
    lease_lost(w->attempt, reason[0] != '\0' ? reason : "the worker gave it back");
    worker_message_free(&m);
    reply_done(c);
    queue_step_soon(d->queue);
}

void
api_worker_leave(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct worker_message m;
    struct worker *w;
    char reason[WORKER_TEXT_MAX];

    if (!worker_asks(c, &m, &w))
        return;
    reason_copy(m.reason, reason);
    workers_remove(d->workers, w, reason[0] != '\0' ? reason : "it has left");
    worker_message_free(&m);
    reply_done(c);
    queue_step_soon(d->queue);
}
