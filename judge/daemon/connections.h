/*
 * The connections, and what each client may hold of them. evhttp knows requests only.
 * This file knows who is at the other end, what has come from there, and what waits to be
 * taken.
 *
 * A client is an address (IPv6: a network of 64 bits), or a login at the Unix socket.
 * There is a cap for everybody together and a share for one client. Where one is reached,
 * the oldest connection ends that holds what is short and whose request is not whole.
 * Honest requests come whole within milliseconds, so that the older ones are others'. The
 * client gets a sentence. docs/operating.md lists the caps.
 */
#ifndef DAEMON_CONNECTIONS_H
#define DAEMON_CONNECTIONS_H

#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>

#define CONNECTIONS_MAX 4096 /* fewer where the limit of open files is low */
#define CONNECTIONS_PER_CLIENT 2048
#define STREAMS_MAX 2048
#define STREAMS_PER_CLIENT 1024

/* Bytes of requests that are not complete. What a connection holds up to BYTES_FREE is
 * never refused, so that small requests go on when the caps are reached. */
#define RECEIVED_MAX ((size_t)32 << 20)
#define RECEIVED_PER_CLIENT ((size_t)16 << 20)

/* Bytes of answers that are not taken yet. */
#define UNSENT_MAX ((size_t)64 << 20)
#define UNSENT_PER_CLIENT ((size_t)32 << 20)
#define BYTES_FREE ((size_t)16 << 10)

/* A request must be whole, and an answer taken, within this time and what a slow line
 * needs. */
#define REQUEST_LIMIT_S 20
#define ANSWER_LIMIT_S 30
#define SLOWEST_BYTES_PER_S 16384

#define RETRY_AFTER_S 5

struct event_base;
struct bufferevent;
struct evhttp_request;
struct connections;

struct access;
struct metrics;

struct connections *connections_new(struct event_base *base, struct metrics *m);

/* Is called when the server has closed every connection. */
void connections_free(struct connections *all);

/* Makes a connection's bufferevent for evhttp. At most `bytes` of its requests wait. */
struct bufferevent *connections_make(struct connections *all, size_t bytes);

/* A request is complete, and is answered from now on. access_end() is called when the
 * answer was sent, or the connection has closed before. False where the connection is
 * closed already, so that the caller calls it. */
bool connection_answers(struct connections *all, struct evhttp_request *req,
                        struct access *access);

/* How many there are now, how many of these are streams, and how many bytes wait. */
struct connections_now {
    int connections, streams;
    size_t received, unsent;
};

struct connections_now connections_now(const struct connections *all);

/* `on_close` is called when the connection closes before the answer has ended; NULL: it
 * need not be called any more. */
void connection_on_close(struct connections *all, struct evhttp_request *req,
                         void (*on_close)(void *arg), void *arg);

/* May this client open another stream of events? -1 with the sentence if not. The stream
 * counts until its connection closes. At the cap for all, the oldest stream ends of the
 * client that has most, so that nobody shuts others out from several addresses. */
int connection_may_stream(struct connections *all, struct evhttp_request *req,
                          struct report *r);

/* May so many more bytes wait for this client? -1 with the sentence if not. */
int connection_may_send(const struct connections *all, struct evhttp_request *req,
                        size_t bytes, struct report *r);

#endif
