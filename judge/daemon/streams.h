/*
 * Who watches which submission: open HTTP answers of newline-delimited JSON.
 *
 * A watcher that reads slowly gets fewer progress events: while more than
 * STREAM_BACKLOG_MAX bytes wait for it, new ones are dropped for it, except the last one
 * (`done`), after which the answer ends. So one watcher holds a bounded amount of memory.
 */
#ifndef DAEMON_STREAMS_H
#define DAEMON_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

struct evhttp_request;
struct streams;

#define STREAM_BACKLOG_MAX 65536
#define STREAM_WRITE_TIMEOUT_S 60 /* without a byte taken: the watcher is gone */

struct streams *streams_new(void);
void streams_free(struct streams *s); /* ends every answer */

/* Begins the answer to req, with these lines first (each ends in a newline; NULL: none).
 */
void streams_open(struct streams *s, struct evhttp_request *req, int64_t id,
                  const char *lines);

bool streams_watched(const struct streams *s, int64_t id);
bool streams_any(const struct streams *s);

/* One event (without newline) to everyone who watches id. */
void streams_tell(struct streams *s, int64_t id, const char *event);

/* The last event; their answers end. */
void streams_finish(struct streams *s, int64_t id, const char *event);

#endif
