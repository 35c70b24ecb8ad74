/* Routing and answers, which all API calls share. */
#ifndef DAEMON_HTTP_H
#define DAEMON_HTTP_H

#include "base/report.h"
#include "daemon/connections.h"
#include "daemon/errors.h"
#include "daemon/identity.h"

#include <cjson/cJSON.h>
#include <stdint.h>

struct buf;
struct daemon;
struct server;
struct evhttp_request;

#define ROUTE_ARGS_MAX 2

struct http_call;
struct slices_maker;

/* A taker gets a call's answer in the place of the connection. It is a web page that is
 * made of the answers of API calls (web/view.h). */
struct answer_taker {
    void (*take)(struct answer_taker *t, struct http_call *c, int status,
                 const char *text, size_t len);
    /* The same of an answer that is made in slices; arg belongs to the taker then. */
    void (*take_slices)(struct answer_taker *t, const struct slices_maker *maker,
                        void *arg);
    /* No answer comes: the sender has gone, and the request is not the taker's. */
    void (*drop)(struct answer_taker *t);
};

/* A call being answered. Exactly one reply_* must follow. */
struct http_call {
    struct daemon *daemon;
    struct evhttp_request *req;
    char *arg[ROUTE_ARGS_MAX]; /* the path's segment for each * of the pattern */
    struct evkeyvalq *query;
    struct identity who;
    bool foreign; /* a page of another site has asked, and may (--allow-origin) */
    struct access *access;
    bool v1; /* it came to /api/v1, and not to a path of the first API */
    struct answer_taker *taker; /* NULL: the connection */
    const struct buf *body;     /* NULL: the request's */
};

struct server *server_new(struct daemon *d);
void server_free(struct server *s); /* closes every connection */

/* Serves a listening socket, which the server owns from then on. */
int server_accept(struct server *s, int fd, struct report *r);

/* Adds the JSON of value, which is freed. */
void buf_add_json(struct buf *b, cJSON *value);

/* Adds the headers that every answer has. It is JSON, and kept by nobody, unless the
 * headers for that are set already. */
void reply_headers(struct http_call *c);

/* Sends JSON that is text already. */
void reply_text(struct http_call *c, int status, const char *text);

/* The same of `len` bytes, which others are sent, too. *packed keeps them compressed; it
 * is empty until somebody takes them so. */
void reply_shared(struct http_call *c, const char *text, size_t len, struct buf *packed);

/* Is it a HEAD request, whose answer has no body? reply_text() and reply_json() see to
 * that themselves. */
bool call_is_head(const struct http_call *c);

/* Sends only the head of an answer of which the length is not known yet. */
void reply_head(struct http_call *c, int status);

/* Adds a header whose value is a number to the answer. */
void reply_add_number(struct http_call *c, const char *header, int64_t value);

/* Sends value, and frees it. Errors are answered by errors.h. */
void reply_json(struct http_call *c, int status, cJSON *value);

/* What connections.h says of a call's connection. */
struct connections_now server_connections(const struct server *s);
int server_may_send(const struct http_call *c, size_t bytes, struct report *r);
int server_may_stream(const struct http_call *c, struct report *r);
void server_on_close(struct daemon *d, struct evhttp_request *req,
                     void (*on_close)(void *arg), void *arg);

/* A query parameter, which belongs to the call; NULL if it is absent or empty. */
const char *call_query(const struct http_call *c, const char *name);

/* The request's body, which belongs to the call, and its length. A body that is longer
 * than BODY_BYTES_MAX is not there, but its length is. */
const char *call_body(const struct http_call *c, size_t *len);

#endif
