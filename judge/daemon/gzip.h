/* Answers that are compressed for who says that it takes them (RFC 9110, 12.5.3). */
#ifndef DAEMON_GZIP_H
#define DAEMON_GZIP_H

#include "daemon/http.h"

#include <stdbool.h>
#include <stddef.h>

struct evbuffer;
struct gzip;

/* A shorter answer gains nothing. A longer one would hold the event loop for more than a
 * millisecond, unless it is made slice by slice. */
#define GZIP_LEAST 1024
#define GZIP_MOST ((size_t)128 << 10)

/* May the answer to this call be compressed? It says in a header that this depends on the
 * request. */
bool gzip_is_taken(struct http_call *c);

/* Says in a header that the answer is compressed. */
void gzip_add_header(struct http_call *c);

/* Begins to compress an answer. Its header is the caller's. */
struct gzip *gzip_new(void);
void gzip_free(struct gzip *g); /* NULL is allowed */

/* Compresses some of the answer. What comes out is never nothing, and a reader
 * understands it at once. */
void gzip_add(struct gzip *g, const char *bytes, size_t len, bool last,
              struct evbuffer *out);

#endif
