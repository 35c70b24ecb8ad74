/*
 * Sessions of browsers: a cookie says who asks. A browser sends it by itself, also for a
 * page of another site, so that it counts for less than a token does.
 *
 * All else that says who asks comes first (identity.h).
 *
 * A request that may change something must come from a page of ours. Its Origin must be
 * the address that it came to, with the same scheme as the cookie's.
 *
 * The cookie does not count for pages of --allow-origin.
 *
 * Behind TLS the cookie is __Host-warpjudge, which browsers send by HTTPS and to this
 * host only. On this machine's own names it is warpjudge-session; no other host gets one
 * by plain HTTP. A cookie that is not good makes nobody of its sender, and is removed.
 */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include "base/report.h"
#include "daemon/http.h"
#include "daemon/identity.h"

/* Finds whose session a request's cookie names; leaves *out as it is where there is none.
 * Returns 0, or the HTTP status of a refusal with the sentence for the sender. */
int session_find(struct http_call *c, struct identity *out, struct report *r);

/* May this call begin a session? -1 with the sentence where its cookie would go over
 * plain HTTP, or to a page of another site. */
int session_may_begin(const struct http_call *c, struct report *r);

/* Adds the header that gives the browser the cookie of a session. */
void session_give_cookie(struct http_call *c, const char *secret);

/* Adds the header that removes it. */
void session_remove_cookie(struct http_call *c);

#endif
