/* A submission's events: newline-delimited JSON that arrives in pieces of any size. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "base/buf.h"
#include "base/report.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* The longest event is the last one, which holds a whole submission. It is much
 * shorter. */
#define STREAM_LINE_BYTES_MAX ((size_t)16 << 20)

struct stream {
    struct buf line; /* the beginning of a line that has not ended yet */
};

/* The event is an object with a string "event". The callee may detach parts of it. */
typedef void stream_event_fn(void *ctx, const char *name, cJSON *event);

/* Calls on_event for each line that ends within `bytes`. A line that is too long, or is
 * no event, is an error, after which on_event is not called. */
int stream_feed(struct stream *s, const char *bytes, size_t len,
                stream_event_fn *on_event, void *ctx, struct report *r);
void stream_free(struct stream *s);

#endif
