/*
 * Listings: what a source is compiled to, line by line (compiler/listing.h). Each is made
 * by a warpjudge-compile of its own, in a job folder, while the loop does all else. The
 * call waits for it. Nothing of it is stored but in the compilers' cache.
 *
 * LISTINGS_AT_ONCE are made at a time, in the order in which they came. One user has
 * at most LISTINGS_OF_ONE that are not done.
 */
#ifndef DAEMON_LISTINGS_H
#define DAEMON_LISTINGS_H

#include "daemon/http.h"

#include <stdbool.h>
#include <stddef.h>

#define LISTINGS_AT_ONCE 2
#define LISTINGS_OF_ONE 4
#define LISTINGS_WAITING 64
#define LISTING_CODE_BYTES_MAX (1 << 20) /* that one may ask for */

struct listings;

/* What is compiled, and how. */
struct listing_request {
    const char *problem, *device, *filename, *source;
    const char *form; /* a word of listing_form_parse() */
    int64_t bytes;    /* of code, at most */
};

struct listings *listings_new(struct daemon *d);

/* Is called when children and server are freed. What waits gets no answer. */
void listings_free(struct listings *all);

/* Answers the call when the listing is made, or now where too many wait. `name` is who
 * asks. The request is copied. */
void listings_add(struct listings *all, struct http_call *c, const char *name,
                  const struct listing_request *request);

/* Is any being made, or waiting? */
bool listings_any(const struct listings *all);

#endif
