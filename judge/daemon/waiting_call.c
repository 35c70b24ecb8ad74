#include "daemon/waiting_call.h"

#include "base/buf.h"
#include "daemon/address.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <stdlib.h>
#include <sys/socket.h>

struct waiting_call {
    struct http_call call;
    bool gone; /* the connection has closed, and the request is freed */
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

struct http_call
call_kept(const struct http_call *c)
{
    struct http_call kept = *c;

    kept.query = NULL;
    kept.access = NULL;
    for (int i = 0; i < ROUTE_ARGS_MAX; i++)
        kept.arg[i] = NULL;
    return kept;
}

struct waiting_call *
call_wait(struct http_call *c)
{
    struct waiting_call *w = xcalloc(1, sizeof *w);

    w->call = call_kept(c);
    server_on_close(c->daemon, c->req, waiting_on_close, w);
    return w;
}

bool
call_is_gone(const struct waiting_call *w)
{
    return w->gone;
}

bool
call_has_hung_up(const struct waiting_call *w)
{
    struct evhttp_connection *connection;
    char byte;
    ssize_t n;
    int fd;

    if (w->gone)
        return true;
    connection = evhttp_request_get_connection(w->call.req);
    if (connection == NULL)
        return true;
    fd = bufferevent_getfd(evhttp_connection_get_bufferevent(connection));
    n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

void
call_resume(struct waiting_call *w, void (*answer)(struct http_call *c, void *arg),
            void *arg)
{
    struct address a;

    if (!w->gone && answer != NULL) {
        server_on_close(w->call.daemon, w->call.req, NULL, NULL);
        /* It could be parsed when the call came. */
        (void)address_parse(w->call.req, &a);
        w->call.query = &a.query;
        answer(&w->call, arg);
        address_free(&a);
    } else if (w->call.taker != NULL) {
        w->call.taker->drop(w->call.taker);
    }
    free(w);
}

/* --- for a password ----------------------------------------------------- */

struct hashing_wait {
    struct waiting_call *call;
    const struct waiting_maker *maker;
    void *arg;
    const struct hashing_result *result; /* while the call is answered */
};

static void
hashing_wait_answer(struct http_call *c, void *arg)
{
    struct hashing_wait *w = arg;

    w->maker->answer(c, w->result, w->arg);
}

static void
hashing_wait_done(void *arg, const struct hashing_result *result)
{
    struct hashing_wait *w = arg;

    w->result = result;
    call_resume(w->call, result != NULL ? hashing_wait_answer : NULL, w);
    w->maker->free(w->arg);
    free(w);
}

bool
call_await_hashing(struct http_call *c, const struct hashing_task *task,
                   const struct waiting_maker *maker, void *arg)
{
    struct hashing_wait *w = xcalloc(1, sizeof *w);

    *w = (struct hashing_wait){.maker = maker, .arg = arg};
    if (hashing_add(c->daemon->hashing, task, hashing_wait_done, w) == 0) {
        w->call = call_wait(c);
        return true;
    }
    free(w);
    maker->free(arg);
    reply_later(c, 503, "%d passwords wait to be verified already: try again later",
                task->is_first ? HASHING_FIRST : HASHING_WAITING);
    return false;
}
