#include "daemon/waiting_call.h"

#include "base/buf.h"
#include "daemon/daemon.h"

#include <event2/http.h>
#include <stdlib.h>

struct waiting_call {
    struct http_call call;
    bool gone; /* the connection has closed, and the request is freed */
    const struct waiting_maker *maker;
    void *arg;
};

/* libevent has taken the request off a connection that fails, and leaves it to us: ending
 * the answer frees it. When the server ends it is still on its connection, which frees
 * it. */
static void
waiting_on_close(void *arg)
{
    struct waiting_call *w = arg;

    w->gone = true;
    if (evhttp_request_get_connection(w->call.req) == NULL)
        evhttp_send_reply_end(w->call.req);
}

static void
waiting_on_done(void *arg, const struct hashing_result *result)
{
    struct waiting_call *w = arg;

    if (!w->gone && result != NULL) {
        server_on_close(w->call.daemon, w->call.req, NULL, NULL);
        w->maker->answer(&w->call, result, w->arg);
    }
    w->maker->free(w->arg);
    free(w);
}

bool
call_await_hashing(struct http_call *c, const struct hashing_task *task,
                   const struct waiting_maker *maker, void *arg)
{
    struct waiting_call *w = xcalloc(1, sizeof *w);

    *w = (struct waiting_call){.call = *c, .maker = maker, .arg = arg};
    w->call.query = NULL;
    w->call.access = NULL; /* it may end with the connection */
    for (int i = 0; i < ROUTE_ARGS_MAX; i++)
        w->call.arg[i] = NULL;
    if (hashing_add(c->daemon->hashing, task, waiting_on_done, w) == 0) {
        server_on_close(c->daemon, c->req, waiting_on_close, w);
        return true;
    }
    free(w);
    maker->free(arg);
    reply_later(c, 503, "%d passwords wait to be verified already: try again later",
                HASHING_WAITING);
    return false;
}
