/*
 * What a request says of where it goes: the host and the origin in its headers, the path
 * and the query of its URI. All of it comes from a stranger.
 */
#ifndef DAEMON_ADDRESS_H
#define DAEMON_ADDRESS_H

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdbool.h>
#include <sys/socket.h>

#define SEGMENTS_MAX 8

struct address {
    int count;
    char *segment[SEGMENTS_MAX]; /* of the path, decoded; owned */
    struct evkeyvalq query;      /* decoded; owned */
};

/* Splits and decodes path and query. Returns NULL, or the sentence that says what is
 * wrong. address_free is called in either case. Everything in *out is UTF-8. */
const char *address_parse(struct evhttp_request *req, struct address *out);
void address_free(struct address *a);

/* Does the path begin with /api/v1? Then it becomes that of the first API, which has no
 * version: /api/v1/health becomes /api/health. So does /metrics, as Prometheus asks. */
bool address_take_version(struct address *a);

/* Is this the value of a Host header that names us? Such are localhost, the addresses of
 * the loopback, `local` (to which the connection was made; it may be NULL), and `names`,
 * a list with commas (it may be NULL). A page elsewhere can make its own name lead to our
 * address, so that a browser takes us for that page's server; then the header has that
 * name. */
bool address_is_ours(const char *host, const char *names, const struct sockaddr *local);

/* Is text one of a list with commas between? The case of letters is no matter. */
bool address_is_listed(const char *text, const char *list);

/* Is each of a list with commas between an origin, as in https://judge.example:8443? */
bool origins_are_valid(const char *list);

/* Is this the value of an Origin header (RFC 6454) that means a page of ours, which was
 * fetched under this host and port? */
bool address_is_own_origin(const char *origin, const char *host);

#endif
