/*
 * Counts what connections hold, and closes those that hold too much, or hold it too long.
 *
 * evhttp has no word for a connection before its first request. It asks for a bufferevent
 * when it has accepted one, and makes itself the argument of the bufferevent's callbacks.
 * From there connection_begin() has the evhttp_connection, in the same pass of the loop.
 *
 * A connection is closed by shutting its socket down. To evhttp that is the client's own
 * end, so that it frees what belongs to the connection in its own order.
 */
#include "daemon/connections.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/access.h"
#include "daemon/client.h"
#include "daemon/loop_watch.h"
#include "daemon/metrics.h"
#include "daemon/sockets.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

#define NS_PER_S 1000000000u
#define BEGIN_CPU_NS 1500000u

/* libevent writes 16 KiB of an answer, and then waits for its turn. A list has more. */
#define WRITE_BYTES 131072

struct connection {
    struct connection *next, **link;
    TAILQ_ENTRY(connection) idle; /* where is_idle */
    struct connections *all;
    struct bufferevent *bev;
    int fd;
    struct client *client;
    size_t received;      /* of requests that are not answered yet */
    size_t unsent, taken; /* of the answer */
    uint64_t since_ns; /* the beginning of the request, of the answer, or of idleness */
    bool answers, streams, leaving, used, is_idle;
    struct access *access;      /* of the request that is being answered, or NULL */
    int status;                 /* of its answer; 0 until a byte of it is written */
    struct evhttp_request *req; /* the same one */
    void (*on_close)(void *arg);
    void *on_close_arg;
};

struct connections {
    struct event_base *base;
    struct metrics *metrics;
    struct event *begin; /* for those that were just accepted, or hold too much */
    struct event *sweep;
    struct connection *first, *fresh, **fresh_end; /* the fresh ones oldest first */
    struct connection **by_fd;
    int fds;
    struct clients clients;
    int count, streams;
    size_t received, unsent;
};

/* --- counting ----------------------------------------------------------- */

static void
connection_set_received(struct connection *c, size_t bytes)
{
    c->all->received += bytes - c->received;
    c->client->received += bytes - c->received;
    c->received = bytes;
}

/* Takes a connection off those of its client that are not answered, or makes it the
 * youngest of them. */
static void
connection_set_idle(struct connection *c, bool idle)
{
    if (c->is_idle)
        TAILQ_REMOVE(&c->client->idle, c, idle);
    c->is_idle = idle && !c->leaving;
    if (c->is_idle)
        TAILQ_INSERT_TAIL(&c->client->idle, c, idle);
    c->since_ns = now_ns();
}

static void
connection_on_input(struct evbuffer *buffer, const struct evbuffer_cb_info *info,
                    void *arg)
{
    struct connection *c = arg;

    (void)buffer;
    if (c->received == 0 && info->n_added > 0 && !c->answers)
        connection_set_idle(c, true);
    c->received += info->n_added;
    c->client->received += info->n_added;
    c->all->received += info->n_added;
    if (c->received > BYTES_FREE &&
        (c->all->received > RECEIVED_MAX || c->client->received > RECEIVED_PER_CLIENT))
        event_active(c->all->begin, EV_TIMEOUT, 0);
}

static void
connection_on_output(struct evbuffer *buffer, const struct evbuffer_cb_info *info,
                     void *arg)
{
    struct connection *c = arg;

    (void)buffer;
    c->unsent += info->n_added - info->n_deleted;
    c->client->unsent += info->n_added - info->n_deleted;
    c->all->unsent += info->n_added - info->n_deleted;
    c->taken += info->n_deleted;
    /* Kept, for libevent makes it 400 where the client leaves a stream that is open. */
    if (c->access != NULL && c->status == 0 && info->n_added > 0)
        c->status = evhttp_request_get_response_code(c->req);
}

/* Takes a connection out of all counts, though its socket may be open for a moment. */
static void
connection_uncount(struct connection *c)
{
    if (c->leaving)
        return;
    c->leaving = true;
    if (c->is_idle)
        TAILQ_REMOVE(&c->client->idle, c, idle);
    c->is_idle = false;
    c->all->count--;
    c->client->connections--;
    if (c->streams) {
        c->all->streams--;
        c->client->streams--;
    }
}

/* The answer has ended: it was sent, or nobody is there any more. */
static void
connection_end_access(struct connection *c)
{
    if (c->access != NULL)
        access_end(c->access, c->status, c->taken);
    c->access = NULL;
    c->status = 0;
}

static void
connection_on_closed(struct evhttp_connection *http, void *arg)
{
    struct connection *c = arg;
    struct connections *all = c->all;

    (void)http;
    connection_end_access(c);
    if (c->on_close != NULL)
        c->on_close(c->on_close_arg);
    connection_uncount(c);
    connection_set_received(c, 0);
    evbuffer_remove_cb(bufferevent_get_input(c->bev), connection_on_input, c);
    evbuffer_remove_cb(bufferevent_get_output(c->bev), connection_on_output, c);
    all->unsent -= c->unsent;
    c->client->unsent -= c->unsent;
    c->client->open--;
    client_drop_unused(&all->clients, c->client);
    *c->link = c->next;
    if (c->next != NULL)
        c->next->link = c->link;
    all->by_fd[c->fd] = NULL;
    free(c);
}

static struct connection *
connection_of(const struct connections *all, struct evhttp_request *req)
{
    struct evhttp_connection *http = evhttp_request_get_connection(req);
    const int fd =
        http != NULL ? bufferevent_getfd(evhttp_connection_get_bufferevent(http)) : -1;

    return fd >= 0 && fd < all->fds ? all->by_fd[fd] : NULL;
}

/* --- closing ------------------------------------------------------------ */

/* Tells the client why, where a request of its is under way, and closes. */
static void
connection_refuse(struct connection *c, enum refusal refusal, const char *why)
{
    const bool late = refusal == REFUSAL_SLOW_REQUEST || refusal == REFUSAL_SLOW_ANSWER;

    if (c->leaving)
        return;
    c->all->metrics->refused[refusal]++;
    if (!c->answers && (c->received > 0 || !c->used))
        socket_send_refusal(c->fd, late ? 408 : 503, RETRY_AFTER_S, why);
    connection_uncount(c);
    shutdown(c->fd, SHUT_RDWR);
    /* evhttp does not look at what comes behind a request while it is answered. Where it
     * fills the buffer, libevent would not read on and see the end. */
    if (c->answers)
        evbuffer_drain(bufferevent_get_input(c->bev), SIZE_MAX);
    connection_set_received(c, 0);
}

/* The oldest connection of a client, or of any, of which more than `bytes` wait to be
 * read. */
static struct connection *
connections_oldest(const struct connections *all, const struct client *client,
                   size_t bytes)
{
    struct connection *oldest = NULL;

    for (struct connection *c = all->first; c != NULL; c = c->next)
        if (!c->leaving && (client == NULL || c->client == client) &&
            c->received > bytes && (oldest == NULL || c->since_ns < oldest->since_ns))
            oldest = c;
    return oldest;
}

static const struct client *
connections_largest_client(const struct connections *all)
{
    const struct client *largest = NULL;

    for (int i = 0; i < CLIENT_BUCKETS; i++)
        for (const struct client *c = all->clients.bucket[i]; c != NULL; c = c->next)
            if (largest == NULL || c->connections > largest->connections)
                largest = c;
    return largest;
}

/* Keeps connections within their caps, after `c` has come. */
static void
connections_make_way(struct connections *all, struct connection *c)
{
    const bool full = all->count > sockets_most(CONNECTIONS_MAX);
    const struct client *client = full ? connections_largest_client(all) : c->client;
    struct connection *oldest;

    if (!full && client->connections <= CONNECTIONS_PER_CLIENT)
        return;
    oldest = TAILQ_FIRST(&client->idle);
    connection_refuse(oldest != NULL ? oldest : c,
                      full ? REFUSAL_CONNECTIONS : REFUSAL_CLIENT_CONNECTIONS,
                      full ? "there are too many connections: try again later"
                           : "there are too many connections from your address: close "
                             "some, or try again later");
}

static void
connections_limit_received(struct connections *all)
{
    struct connection *c;

    for (int i = 0; i < CLIENT_BUCKETS; i++)
        for (struct client *client = all->clients.bucket[i]; client != NULL;
             client = client->next)
            while (client->received > RECEIVED_PER_CLIENT &&
                   (c = connections_oldest(all, client, BYTES_FREE)) != NULL)
                connection_refuse(c, REFUSAL_CLIENT_RECEIVED,
                                  "too many unfinished requests from your address wait "
                                  "for their rest: try again later");
    while (all->received > RECEIVED_MAX &&
           (c = connections_oldest(all, NULL, BYTES_FREE)) != NULL)
        connection_refuse(c, REFUSAL_RECEIVED,
                          "too many unfinished requests wait for their rest: try again "
                          "later");
}

/* --- time --------------------------------------------------------------- */

static bool
connection_is_late(const struct connection *c, uint64_t now, size_t bytes,
                   unsigned limit_s)
{
    return now - c->since_ns >
           (limit_s + bytes / SLOWEST_BYTES_PER_S) * (uint64_t)NS_PER_S;
}

/* Closes what is too slow. An idle connection that has had an answer is evhttp's, and a
 * stream has its own timeout. */
static void
connections_on_sweep(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("the sweep of connections");
    struct connections *all = arg;
    const uint64_t now = now_ns();

    (void)fd;
    (void)what;
    for (struct connection *c = all->first; c != NULL; c = c->next) {
        if (!c->answers && (c->received > 0 || !c->used) &&
            connection_is_late(c, now, c->received, REQUEST_LIMIT_S))
            connection_refuse(c, REFUSAL_SLOW_REQUEST,
                              "the request did not come whole in time");
        else if (c->answers && !c->streams && c->unsent > 0 &&
                 connection_is_late(c, now, c->taken, ANSWER_LIMIT_S))
            connection_refuse(c, REFUSAL_SLOW_ANSWER, "");
    }
}

/* --- beginnings --------------------------------------------------------- */

static void
connections_keep_fd(struct connections *all, int fd, struct connection *c)
{
    c->fd = fd;
    if (fd >= all->fds) {
        const int before = all->fds;

        all->fds = fd * 2 + 64;
        all->by_fd = xrealloc(all->by_fd, (size_t)all->fds * sizeof(struct connection *));
        memset(all->by_fd + before, 0,
               (size_t)(all->fds - before) * sizeof(struct connection *));
    }
    all->by_fd[fd] = c;
}

static void
connection_begin(struct connections *all, struct connection *c)
{
    const int fd = bufferevent_getfd(c->bev);
    void *http = NULL;

    bufferevent_getcb(c->bev, NULL, NULL, NULL, &http);
    if (http == NULL || fd < 0) { /* it is closed already */
        bufferevent_decref(c->bev);
        free(c);
        return;
    }
    c->client = client_of(&all->clients, fd);
    c->client->open++;
    connection_set_idle(c, true);
    c->link = &all->first;
    c->next = all->first;
    if (c->next != NULL)
        c->next->link = &c->next;
    all->first = c;
    all->count++;
    c->client->connections++;
    connections_keep_fd(all, fd, c);
    evbuffer_add_cb(bufferevent_get_input(c->bev), connection_on_input, c);
    evbuffer_add_cb(bufferevent_get_output(c->bev), connection_on_output, c);
    evhttp_connection_set_closecb(http, connection_on_closed, c);
    socket_set_options(fd);
    bufferevent_decref(c->bev);
    connections_make_way(all, c);
}

/* Takes a fresh connection off the list, and begins it. */
static void
connections_begin_at(struct connections *all, struct connection **at)
{
    struct connection *c = *at;

    *at = c->next;
    if (*at == NULL)
        all->fresh_end = at;
    connection_begin(all, c);
}

/* Begins the connection of a request, where it is still among the fresh ones. */
static void
connections_begin_of(struct connections *all, struct evhttp_request *req)
{
    struct evhttp_connection *http = evhttp_request_get_connection(req);
    struct bufferevent *bev =
        http != NULL ? evhttp_connection_get_bufferevent(http) : NULL;
    struct connection **at = &all->fresh;

    while (*at != NULL && (*at)->bev != bev)
        at = &(*at)->next;
    if (*at != NULL)
        connections_begin_at(all, at);
}

/* Begins some of them: at the caps each costs a look at all, and a refused one the bytes
 * that it has sent. */
static void
connections_on_begin(evutil_socket_t fd, short what, void *arg)
{
    static const struct timeval next_pass = {0};
    LOOP_HANDLER("new connections");
    struct connections *all = arg;
    const uint64_t begin = loop_cpu_ns();

    (void)fd;
    (void)what;
    while (all->fresh != NULL && loop_cpu_ns() - begin < BEGIN_CPU_NS)
        connections_begin_at(all, &all->fresh);
    if (all->fresh != NULL)
        evtimer_add(all->begin, &next_pass);
    connections_limit_received(all);
}

struct bufferevent *
connections_make(struct connections *all, size_t bytes)
{
    struct bufferevent *bev = bufferevent_socket_new(all->base, -1, 0);
    struct connection *c;

    if (bev == NULL)
        return NULL;
    bufferevent_setwatermark(bev, EV_READ, 0, bytes);
    (void)bufferevent_set_max_single_write(bev, WRITE_BYTES);
    bufferevent_incref(bev);
    c = xcalloc(1, sizeof *c);
    *c = (struct connection){.all = all, .bev = bev};
    *all->fresh_end = c;
    all->fresh_end = &c->next;
    event_active(all->begin, EV_TIMEOUT, 0);
    return bev;
}

struct connections *
connections_new(struct event_base *base, struct metrics *m)
{
    static const struct timeval second = {.tv_sec = 1};
    struct connections *all = xcalloc(1, sizeof *all);

    all->base = base;
    all->metrics = m;
    all->fresh_end = &all->fresh;
    all->begin = event_new(base, -1, 0, connections_on_begin, all);
    all->sweep = event_new(base, -1, EV_PERSIST, connections_on_sweep, all);
    if (all->begin == NULL || all->sweep == NULL || event_add(all->sweep, &second) != 0)
        die(4, "out of memory");
    return all;
}

void
connections_free(struct connections *all)
{
    if (all == NULL)
        return;
    while (all->fresh != NULL) {
        struct connection *c = all->fresh;

        all->fresh = c->next;
        bufferevent_decref(c->bev);
        free(c);
    }
    event_free(all->begin);
    event_free(all->sweep);
    free(all->by_fd);
    free(all);
}

/* --- what others ask ---------------------------------------------------- */

/* The answer was sent whole, and the connection is used again. */
static void
connection_on_answered(struct evhttp_request *req, void *arg)
{
    struct connection *c = connection_of(arg, req);

    if (c == NULL)
        return;
    connection_end_access(c);
    c->answers = false;
    connection_set_idle(c, true);
}

bool
connection_answers(struct connections *all, struct evhttp_request *req,
                   struct access *access)
{
    struct connection *c = connection_of(all, req);

    if (c == NULL) {
        connections_begin_of(all, req);
        c = connection_of(all, req);
    }
    if (c == NULL)
        return false;
    connection_end_access(c);
    /* The next requests may have come already. */
    connection_set_received(c, evbuffer_get_length(bufferevent_get_input(c->bev)));
    c->access = access;
    c->req = req;
    c->answers = c->used = true;
    connection_set_idle(c, false);
    c->taken = 0;
    evhttp_request_set_on_complete_cb(req, connection_on_answered, all);
    return true;
}

void
connection_on_close(struct connections *all, struct evhttp_request *req,
                    void (*on_close)(void *arg), void *arg)
{
    struct connection *c = connection_of(all, req);

    if (c == NULL)
        return;
    c->on_close = on_close;
    c->on_close_arg = arg;
}

/* Ends the oldest stream of the client that has most of them, unless `client` would then
 * have more than that one. False: there is none to end. */
static bool
connections_end_stream_for(struct connections *all, const struct client *client)
{
    struct connection *oldest = NULL;

    for (struct connection *c = all->first; c != NULL; c = c->next)
        if (!c->leaving && c->streams && c->client->streams > client->streams + 1 &&
            (oldest == NULL || c->client->streams > oldest->client->streams ||
             (c->client == oldest->client && c->since_ns < oldest->since_ns)))
            oldest = c;
    if (oldest == NULL)
        return false;
    connection_refuse(oldest, REFUSAL_STREAMS, "");
    return true;
}

int
connection_may_stream(struct connections *all, struct evhttp_request *req,
                      struct report *r)
{
    struct connection *c = connection_of(all, req);

    if (c == NULL || c->streams)
        return 0;
    if (all->streams >= STREAMS_MAX && !connections_end_stream_for(all, c->client)) {
        all->metrics->refused[REFUSAL_STREAMS]++;
        return report_fail(r, "%d streams of events are open already: try again later",
                           STREAMS_MAX);
    }
    if (c->client->streams >= STREAMS_PER_CLIENT) {
        all->metrics->refused[REFUSAL_CLIENT_STREAMS]++;
        return report_fail(r,
                           "%d streams of events to your address are open already: close "
                           "some, or try again later",
                           STREAMS_PER_CLIENT);
    }
    c->streams = true;
    all->streams++;
    c->client->streams++;
    return 0;
}

int
connection_may_send(const struct connections *all, struct evhttp_request *req,
                    size_t bytes, struct report *r)
{
    const struct connection *c = connection_of(all, req);

    if (c == NULL || bytes <= BYTES_FREE ||
        (all->unsent + bytes <= UNSENT_MAX &&
         c->client->unsent + bytes <= UNSENT_PER_CLIENT))
        return 0;
    all->metrics->refused[REFUSAL_UNSENT]++;
    return report_fail(r, "too many answers wait to be read: try again later");
}

struct connections_now
connections_now(const struct connections *all)
{
    return (struct connections_now){.connections = all->count,
                                    .streams = all->streams,
                                    .received = all->received,
                                    .unsent = all->unsent};
}
