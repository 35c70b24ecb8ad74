/* Keeps the open answers of watchers, and writes events to them. */
#include "daemon/streams.h"

#include "base/buf.h"
#include "base/report.h"
#include "daemon/http.h"

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
send_text(struct stream *stream, const char *text, bool newline)
{
    struct evbuffer *chunk = evbuffer_new();

    if (chunk == NULL || evbuffer_add(chunk, text, strlen(text)) != 0 ||
        evbuffer_add(chunk, "\n", newline ? 1 : 0) != 0)
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
streams_open(struct streams *s, struct evhttp_request *req, int64_t id, const char *lines)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(req);
    const struct timeval write_timeout = {.tv_sec = STREAM_WRITE_TIMEOUT_S};
    struct stream *stream = xcalloc(1, sizeof *stream);

    *stream = (struct stream){.next = s->first, .all = s, .req = req, .id = id};
    s->first = stream;
    evhttp_add_header(headers, "Content-Type", STREAM_TYPE);
    evhttp_add_header(headers, "Cache-Control", "no-store");
    evhttp_add_header(headers, "Connection", "close");
    server_on_close(s->daemon, req, stream_on_close, stream);
    evhttp_send_reply_start(req, 200, "OK");
    /* There is no timeout for reading, because a watcher sends nothing while it waits. */
    bufferevent_set_timeouts(evhttp_connection_get_bufferevent(connection), NULL,
                             &write_timeout);
    if (lines != NULL)
        send_text(stream, lines, false);
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

void
streams_tell(struct streams *s, int64_t id, const char *event)
{
    for (struct stream *stream = s->first; stream != NULL; stream = stream->next)
        if (stream->id == id && stream_backlog(stream) <= STREAM_BACKLOG_MAX)
            send_text(stream, event, true);
}

void
streams_finish(struct streams *s, int64_t id, const char *event)
{
    struct stream *next;

    for (struct stream *stream = s->first; stream != NULL; stream = next) {
        next = stream->next;
        if (stream->id == id) {
            send_text(stream, event, true);
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
