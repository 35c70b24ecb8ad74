/*
 * Answers that take longer to make than a handler may hold the event loop, such as a
 * board of thousands of entries. They are made slice by slice. Between two slices the
 * loop does everything else that has happened.
 *
 * Slices are gathered until they are worth a reader's waking. An answer that is whole
 * before that is sent as any other. A longer one is sent in chunks, and its next slice is
 * made when the reader has taken the chunk before. So an answer of any length that nobody
 * reads holds one chunk of memory. Where the reader takes it, each chunk is compressed
 * (gzip.h).
 */
#ifndef DAEMON_SLICES_H
#define DAEMON_SLICES_H

#include "base/buf.h"
#include "base/report.h"
#include "daemon/http.h"

#include <stdbool.h>

/* How an answer is made. */
struct slices_maker {
    /* Appends some of the body, in at most a few tenths of a millisecond, and sets *more
     * where that was not the end. -1 and a report if it fails. */
    int (*next)(void *arg, struct buf *body, bool *more, struct report *r);
    void (*free)(void *arg);
};

/* Answers a call with what the maker makes, and frees arg when that has ended. */
void reply_slices(struct http_call *c, const struct slices_maker *maker, void *arg);

#endif
