/* Makes long answers slice by slice, as fast as they are read. */
#include "daemon/slices.h"

#include "daemon/gzip.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <stdlib.h>
#include <sys/socket.h>

#define SLICE_BYTES_MAX 65536
#define SLICE_CPU_NS 500000u

struct slices {
    const struct slices_maker *maker;
    void *arg;
    struct daemon *daemon;
    struct evhttp_request *req;
    struct buf body;
    struct gzip *gzip; /* NULL: it is not compressed */
    bool more;
};

static void
slices_free(struct slices *s)
{
    s->maker->free(s->arg);
    buf_free(&s->body);
    gzip_free(s->gzip);
    free(s);
}

/* Makes a slice. It is CPU time that is counted, because on a busy machine a handler may
 * wait for a CPU without holding up more than it is held up itself. */
static int
slices_make(struct slices *s, struct report *r)
{
    const uint64_t begin = loop_cpu_ns();

    buf_clear(&s->body);
    do {
        if (s->maker->next(s->arg, &s->body, &s->more, r) != 0)
            return -1;
    } while (s->more && s->body.len < SLICE_BYTES_MAX &&
             loop_cpu_ns() - begin < SLICE_CPU_NS);
    return 0;
}

/* The reader is gone. libevent has taken the request off the connection and leaves it to
 * us: ending the answer frees it. */
static void
slices_on_close(void *arg)
{
    struct slices *s = arg;

    evhttp_send_reply_end(s->req);
    slices_free(s);
}

static void slices_send(struct slices *s);

/* The reader has taken what was sent. */
static void
slices_on_taken(struct evhttp_connection *connection, void *arg)
{
    struct slices *s = arg;
    struct report r = {0};
    LOOP_HANDLER(evhttp_request_get_uri(s->req));

    if (!s->more) {
        server_on_close(s->daemon, s->req, NULL, NULL);
        evhttp_send_reply_end(s->req);
        slices_free(s);
    } else if (slices_make(s, &r) == 0) {
        slices_send(s);
    } else {
        /* An answer that breaks off has no last chunk, so that its reader knows. */
        log_line("%s: %s", evhttp_request_get_uri(s->req), r.text);
        shutdown(bufferevent_getfd(evhttp_connection_get_bufferevent(connection)),
                 SHUT_RDWR);
    }
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
    evhttp_send_reply_chunk_with_cb(s->req, chunk, slices_on_taken, s);
    evbuffer_free(chunk);
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
    *s = (struct slices){.maker = maker, .arg = arg, .daemon = c->daemon, .req = c->req};
    if (slices_make(s, &r) != 0) {
        reply_failure(c, &r);
        slices_free(s);
    } else if (!s->more) {
        reply_text(c, 200, buf_str(&s->body));
        slices_free(s);
    } else if (call_is_head(c)) {
        reply_head(c, 200);
        slices_free(s);
    } else if (server_may_send(c, s->body.len, &r) != 0) {
        reply_later(c, 503, "%s", r.text);
        slices_free(s);
    } else {
        if (gzip_is_taken(c)) {
            gzip_add_header(c);
            s->gzip = gzip_new();
        }
        reply_headers(c);
        server_on_close(s->daemon, s->req, slices_on_close, s);
        evhttp_send_reply_start(s->req, 200, "OK");
        slices_send(s);
    }
}
