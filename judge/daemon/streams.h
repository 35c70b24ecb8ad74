/*
 * The watchers of submissions: open HTTP answers of newline-delimited JSON.
 *
 * While more than STREAM_BACKLOG_MAX bytes wait for a slow watcher, new progress events
 * are dropped for it. Only the last event, `done`, is never dropped, and its answer ends
 * then. A watcher therefore holds a bounded amount of memory.
 */
#ifndef DAEMON_STREAMS_H
#define DAEMON_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct http_call;
struct streams;

#define STREAM_TYPE "application/x-ndjson"
#define STREAM_BACKLOG_MAX 16384
#define STREAM_WRITE_TIMEOUT_S 60 /* a watcher that takes no byte for so long is gone */

struct streams *streams_new(struct daemon *d);
/* Ends all answers properly, for a daemon that ends. What they hold is sent as far as the
 * loop still runs. */
void streams_end(struct streams *s);

void streams_free(struct streams *s); /* ends every answer */

/* Begins the answer to a call. It starts with what was told last. */
void streams_open(struct streams *s, struct http_call *c, int64_t id);

bool streams_watched(const struct streams *s, int64_t id);
bool streams_any(const struct streams *s);

/* Sends an event, which has no newline, to everyone who watches id. */
void streams_tell(struct streams *s, int64_t id, const char *event);

/* Sends the last event, and ends the answers of everyone who watches id. */
void streams_finish(struct streams *s, int64_t id, const char *event);

#endif
