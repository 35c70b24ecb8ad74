/* The headers by which a browser is told what a page may do: nothing but show itself. */
#ifndef DAEMON_WEB_SAFE_HEADERS_H
#define DAEMON_WEB_SAFE_HEADERS_H

struct http_call;

void safe_headers_add(struct http_call *c);

#endif
