/*
 * Streams of server-sent events (the HTML standard, "Server-sent events"): of one
 * submission, or of all that one may see.
 *
 * Every event has an id, the run of the daemon and the number in the log (event_log.h).
 * A reader that was cut sends the last id that it got, and the stream goes on behind it.
 * Where that cannot be, because the daemon was started again, the log has left the event
 * behind, or the id is none of ours, the stream begins anew. So does one without an id.
 * It then begins with the event `reset`, after which come the states of all unfinished
 * submissions, and `live` at last. These have no ids but the last one, so that a reader
 * that is cut among them begins anew once more.
 *
 * A reader gets at most STREAM_LEAD_BYTES ahead of what it has taken. One that is slow
 * lags behind in the log, and holds no more memory for that. It is cut off when the log
 * leaves it behind, or when it takes nothing for STREAM_WRITE_TIMEOUT_S.
 *
 * Rights are looked at when a stream is opened, whenever any right may have changed, and
 * with each keep-alive. The stream ends where they have ended.
 */
#ifndef DAEMON_EVENTS_H
#define DAEMON_EVENTS_H

#include "daemon/event_log.h"
#include "daemon/http.h"

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct events;

#define EVENTS_TYPE "text/event-stream"
#define EVENTS_KEPT 8192
#define STREAM_LEAD_BYTES 16384
#define KEEP_ALIVE_S 15
#define RECONNECT_MS 1000

struct events *events_new(struct daemon *d);
void events_free(struct events *e); /* ends every stream */

/* Ends all streams properly, for a daemon that ends. */
void events_end(struct events *e);

/* Is a stream open? */
bool events_any(const struct events *e);

/* Tells an event to all who may see it. Writing to them follows in the event loop. */
void events_add(struct events *e, const struct logged_event *event);

/* An event could not be made. Every open stream is cut, and begins anew. */
void events_add_lost(struct events *e);

/* What a stream shows. */
struct events_scope {
    int64_t submission;         /* 0: all, as far as the next two say */
    const char *user, *problem; /* NULL: any */
};

/* Answers a call, which may see the scope, with a stream. */
void events_open(struct http_call *c, const struct events_scope *scope);

#endif
