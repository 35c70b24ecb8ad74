/* Keeps the open answers of watchers, and writes events to them. */
#include "daemon/streams.h"

#include "base/buf.h"
#include "base/report.h"
#include "daemon/daemon.h"
#include "daemon/http.h"
#include "daemon/queue.h"
#include "daemon/watcher.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    struct stream *next;
    struct streams *all;
    struct evhttp_request *req;
    int64_t id;
    struct watcher who;
};

struct streams {
    struct daemon *daemon;
    struct stream *first;
};

static void
unlink_stream(struct stream *stream)
{
    struct stream **at = &stream->all->first;

    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    queue_unwatch(stream->all->daemon->queue, stream->id);
}

/* The connection closes while the answer is unfinished. libevent has taken the request
 * off the connection already and leaves it to us. Ending the answer frees it. */
static void
stream_on_close(void *arg)
{
    struct stream *stream = arg;

    unlink_stream(stream);
    evhttp_send_reply_end(stream->req);
    free(stream);
}

static size_t
stream_backlog(const struct stream *stream)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(stream->req);

    return evbuffer_get_length(
        bufferevent_get_output(evhttp_connection_get_bufferevent(connection)));
}

static void
send_text(struct stream *stream, const char *text)
{
    struct evbuffer *chunk = evbuffer_new();

    if (chunk == NULL || evbuffer_add(chunk, text, strlen(text)) != 0 ||
        evbuffer_add(chunk, "\n", 1) != 0)
        die(4, "out of memory");
    evhttp_send_reply_chunk(stream->req, chunk);
    evbuffer_free(chunk);
}

/* Ends the answer of a stream that was unlinked, and frees the stream. */
static void
stream_finish(struct stream *stream)
{
    server_on_close(stream->all->daemon, stream->req, NULL, NULL);
    evhttp_send_reply_end(stream->req);
    free(stream);
}

void
streams_open(struct streams *s, struct http_call *c, int64_t id)
{
    struct evhttp_request *req = c->req;
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(req);
    const struct timeval write_timeout = {.tv_sec = STREAM_WRITE_TIMEOUT_S};
    struct stream *stream = xcalloc(1, sizeof *stream);
    struct queue_state state;

    queue_watch(s->daemon->queue, id);
    *stream = (struct stream){
        .next = s->first, .all = s, .req = req, .id = id, .who = watcher_new(c)};
    s->first = stream;
    evhttp_add_header(headers, "Content-Type", STREAM_TYPE);
    evhttp_add_header(headers, "Cache-Control", "no-store");
    evhttp_add_header(headers, "Connection", "close");
    server_on_close(s->daemon, req, stream_on_close, stream);
    evhttp_send_reply_start(req, 200, "OK");
    /* There is no timeout for reading, because a watcher sends nothing while it waits. */
    bufferevent_set_timeouts(evhttp_connection_get_bufferevent(connection), NULL,
                             &write_timeout);
    if (queue_find(s->daemon->queue, id, &state) && state.last_event != NULL)
        send_text(stream, state.last_event);
}

bool
streams_watched(const struct streams *s, int64_t id)
{
    for (const struct stream *stream = s->first; stream != NULL; stream = stream->next)
        if (stream->id == id)
            return true;
    return false;
}

bool
streams_any(const struct streams *s)
{
    return s->first != NULL;
}

/* Ends the stream of a watcher whose rights have ended. */
static bool
stream_is_allowed(struct stream *stream)
{
    struct daemon *d = stream->all->daemon;

    if (!watcher_must_be_asked(&stream->who, d) ||
        watcher_is_allowed(&stream->who, d, stream->req, stream->id))
        return true;
    unlink_stream(stream);
    stream_finish(stream);
    return false;
}

void
streams_tell(struct streams *s, int64_t id, const char *event)
{
    struct stream *next;

    for (struct stream *stream = s->first; stream != NULL; stream = next) {
        next = stream->next;
        if (stream->id == id && stream_is_allowed(stream) &&
            stream_backlog(stream) <= STREAM_BACKLOG_MAX)
            send_text(stream, event);
    }
}

/* May so many more bytes wait for its reader? */
static bool
stream_has_room(const struct stream *stream, size_t bytes)
{
    const struct http_call call = {.daemon = stream->all->daemon, .req = stream->req};
    struct report r = {0};

    return server_may_send(&call, bytes, &r) == 0;
}

void
streams_finish(struct streams *s, int64_t id, const char *event)
{
    struct stream *next;

    for (struct stream *stream = s->first; stream != NULL; stream = next) {
        next = stream->next;
        if (stream->id == id && stream_is_allowed(stream)) {
            if (stream_has_room(stream, strlen(event)))
                send_text(stream, event);
            unlink_stream(stream);
            stream_finish(stream);
        }
    }
}

struct streams *
streams_new(struct daemon *d)
{
    struct streams *s = xcalloc(1, sizeof *s);

    s->daemon = d;
    return s;
}

void
streams_end(struct streams *s)
{
    while (s->first != NULL) {
        struct stream *stream = s->first;

        s->first = stream->next;
        stream_finish(stream);
    }
}

void
streams_free(struct streams *s)
{
    if (s == NULL)
        return;
    streams_end(s);
    free(s);
}
