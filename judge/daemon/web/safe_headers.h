/* The headers by which a browser is told what a page may do: show itself, run our scripts
 * and talk to this judge. */
#ifndef DAEMON_WEB_SAFE_HEADERS_H
#define DAEMON_WEB_SAFE_HEADERS_H

struct http_call;

#define NONCE_CHARS 32

/* Makes what a page's scripts and the styles that they add must show. It is new for each
 * page. */
void safe_headers_nonce(char nonce[NONCE_CHARS + 1]);

/* nonce: of a page; NULL: it is none. */
void safe_headers_add(struct http_call *c, const char *nonce);

#endif
