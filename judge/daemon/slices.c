/* Makes long answers slice by slice, as fast as they are read. */
#include "daemon/slices.h"

#include "daemon/daemon.h"
#include "daemon/gzip.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/waiting_call.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>
#include <sys/socket.h>

/* A chunk has at least so many bytes, unless it is the last. Each one wakes the reader.
 */
#define CHUNK_BYTES_MIN 65536
#define SLICE_CPU_NS 500000u
/* This limits how many chunks are gathered at a time, because what is gathered is in no
 * client's share. Beyond that each slice is sent as it is made. */
#define GATHERING_MAX 64

static int gathering; /* of the event loop, as all here */

struct slices {
    const struct slices_maker *maker;
    void *arg;
    struct http_call call; /* of call_kept() */
    struct event *step;    /* NULL: one slice was all */
    struct buf body;       /* what is made and not sent */
    struct gzip *gzip;     /* NULL: it is not compressed */
    bool begun;            /* some of it is sent */
    bool gathers;          /* its next chunk is one of GATHERING_MAX */
    bool more;
};

/* May the next slice be added to what is made? */
static bool
slices_may_gather(struct slices *s)
{
    if (s->body.len >= CHUNK_BYTES_MIN)
        return false;
    if (!s->gathers && gathering < GATHERING_MAX) {
        s->gathers = true;
        gathering++;
    }
    return s->gathers;
}

/* Forgets what was gathered, which is sent. */
static void
slices_clear(struct slices *s)
{
    gathering -= s->gathers;
    s->gathers = false;
    buf_free(&s->body);
}

static void
slices_free(struct slices *s)
{
    slices_clear(s);
    s->maker->free(s->arg);
    gzip_free(s->gzip);
    if (s->step != NULL)
        event_free(s->step);
    free(s);
}

/* Makes a slice. It is CPU time that is counted, because on a busy machine a handler may
 * wait for a CPU without holding up more than it is held up itself. */
static int
slices_make(struct slices *s, struct report *r)
{
    const uint64_t begin = loop_cpu_ns();

    do {
        if (s->maker->next(s->arg, &s->body, &s->more, r) != 0)
            return -1;
    } while (s->more && s->body.len < CHUNK_BYTES_MIN &&
             loop_cpu_ns() - begin < SLICE_CPU_NS);
    return 0;
}

/* The reader is gone. Where libevent has taken the request off the connection, it leaves
 * it to us: ending the answer frees it. When the server ends before the answer has begun,
 * the request is still on its connection, which frees it. */
static void
slices_on_close(void *arg)
{
    struct slices *s = arg;

    if (s->begun || evhttp_request_get_connection(s->call.req) == NULL)
        evhttp_send_reply_end(s->call.req);
    slices_free(s);
}

/* Has the next slice made when the loop has done what else has happened. */
static void
slices_wake(struct slices *s)
{
    static const struct timeval now = {0};

    if (event_add(s->step, &now) != 0)
        die(4, "out of memory");
}

/* The reader has taken what was sent. */
static void
slices_on_taken(struct evhttp_connection *connection, void *arg)
{
    struct slices *s = arg;
    LOOP_HANDLER(evhttp_request_get_uri(s->call.req));

    (void)connection;
    if (s->more) {
        slices_wake(s);
        return;
    }
    server_on_close(s->call.daemon, s->call.req, NULL, NULL);
    evhttp_send_reply_end(s->call.req);
    slices_free(s);
}

static void
slices_send(struct slices *s)
{
    struct evbuffer *chunk = evbuffer_new();

    if (chunk == NULL ||
        (s->gzip == NULL && evbuffer_add(chunk, s->body.data, s->body.len) != 0))
        die(4, "out of memory");
    if (s->gzip != NULL)
        gzip_add(s->gzip, s->body.data, s->body.len, !s->more, chunk);
    slices_clear(s);
    evhttp_send_reply_chunk_with_cb(s->call.req, chunk, slices_on_taken, s);
    evbuffer_free(chunk);
}

/* Answers whole with what was made, or with what went wrong. */
static void
slices_reply_whole(struct slices *s, const struct report *failure)
{
    server_on_close(s->call.daemon, s->call.req, NULL, NULL);
    if (failure != NULL)
        reply_failure(&s->call, failure);
    else
        reply_text(&s->call, 200, buf_str(&s->body));
    slices_free(s);
}

/* Begins an answer of which one chunk is made. */
static void
slices_begin(struct slices *s)
{
    struct http_call *c = &s->call;
    struct report r = {0};

    if (server_may_send(c, s->body.len, &r) != 0) {
        server_on_close(c->daemon, c->req, NULL, NULL);
        reply_later(c, 503, "%s", r.text);
        slices_free(s);
        return;
    }
    if (gzip_is_taken(c)) {
        gzip_add_header(c);
        s->gzip = gzip_new();
    }
    reply_headers(c);
    s->begun = true;
    evhttp_send_reply_start(c->req, 200, "OK");
    slices_send(s);
}

static void
slices_on_step(evutil_socket_t fd, short what, void *arg)
{
    struct slices *s = arg;
    struct evhttp_request *req = s->call.req;
    struct report r = {0};
    LOOP_HANDLER(evhttp_request_get_uri(req));

    (void)fd;
    (void)what;
    if (slices_make(s, &r) != 0 && !s->begun) {
        slices_reply_whole(s, &r);
    } else if (r.text[0] != '\0') {
        /* An answer that breaks off has no last chunk, so that its reader knows. */
        log_line("%s: %s", evhttp_request_get_uri(req), r.text);
        shutdown(bufferevent_getfd(evhttp_connection_get_bufferevent(
                     evhttp_request_get_connection(req))),
                 SHUT_RDWR);
    } else if (s->more && slices_may_gather(s)) {
        slices_wake(s);
    } else if (s->begun) {
        slices_send(s);
    } else if (s->more) {
        slices_begin(s);
    } else {
        slices_reply_whole(s, NULL);
    }
}

void
reply_slices(struct http_call *c, const struct slices_maker *maker, void *arg)
{
    struct slices *s;
    struct report r = {0};

    if (c->taker != NULL) {
        c->taker->take_slices(c->taker, maker, arg);
        return;
    }
    s = xcalloc(1, sizeof *s);
    *s = (struct slices){.maker = maker, .arg = arg, .call = call_kept(c)};
    if (slices_make(s, &r) != 0) {
        reply_failure(c, &r);
        slices_free(s);
    } else if (!s->more) {
        reply_text(c, 200, buf_str(&s->body));
        slices_free(s);
    } else if (call_is_head(c)) {
        reply_head(c, 200);
        slices_free(s);
    } else {
        s->step = evtimer_new(c->daemon->base, slices_on_step, s);
        if (s->step == NULL)
            die(4, "out of memory");
        server_on_close(c->daemon, c->req, slices_on_close, s);
        if (slices_may_gather(s))
            slices_wake(s);
        else
            slices_begin(s);
    }
}
