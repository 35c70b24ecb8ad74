/*
 * The reader of a stream, and whether it still may see what the stream shows. Rights may
 * end while a stream is open: a token is revoked or expires, an account is closed,
 * deleted or another's.
 */
#ifndef DAEMON_WATCHER_H
#define DAEMON_WATCHER_H

#include "daemon/http.h"

#include <stdbool.h>
#include <stdint.h>

struct watcher {
    struct identity who;
    uint64_t rights; /* the version of rights that were looked at */
};

struct watcher watcher_new(const struct http_call *c);

/* May its rights be others than when they were looked at? */
bool watcher_must_be_asked(const struct watcher *w, const struct daemon *d);

/* Is whoever has made the request still the same, and may they see the source of the
 * submission? 0 is none, of which nothing is asked. */
bool watcher_is_allowed(struct watcher *w, struct daemon *d, struct evhttp_request *req,
                        int64_t submission);

#endif
