/* Keeps the open streams of server-sent events, and writes to each what it has not got.
 */
#include "daemon/events.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/connections.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/queue.h"
#include "daemon/request.h"
#include "daemon/streams.h"
#include "daemon/told.h"
#include "daemon/watcher.h"
#include "record/store.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define TURN_CPU_NS 1500000u
#define TICK_MS 250
#define TICKS_PER_BEAT (KEEP_ALIVE_S * 1000 / TICK_MS)

struct event_stream {
    struct event_stream *next, **link;
    struct events *all;
    struct evhttp_request *req;
    struct watcher who;
    int64_t submission;   /* 0: all */
    char *user, *problem; /* NULL: any */
    uint64_t beat;
    uint64_t number; /* of the next event of the log */
    bool begins;     /* unfinished submissions are being told */
    int64_t begun;   /* the last of these that was told */
    bool over;       /* it has got `done` of its one submission */
    bool cut;        /* its socket is shut down */
};

struct events {
    struct daemon *daemon;
    struct event_log *log;
    struct event_stream *first;
    struct event_stream *turn; /* whose turn it is to be written to; NULL: nobody's */
    bool again;                /* when the turns are over, they begin anew */
    struct event *step, *tick;
    uint64_t ticks, beat, rights, renamed;
};

/* --- the ends of streams ------------------------------------------------ */

static void
stream_unlink(struct event_stream *s)
{
    struct events *e = s->all;

    if (e->turn == s)
        e->turn = s->next;
    *s->link = s->next;
    if (s->next != NULL)
        s->next->link = s->link;
    if (s->submission != 0)
        queue_unwatch(e->daemon->queue, s->submission);
}

static void
stream_free(struct event_stream *s)
{
    free(s->user);
    free(s->problem);
    free(s);
}

/* The connection closes. libevent has taken the request off it already and leaves it to
 * us. Ending the answer frees it. */
static void
stream_on_close(void *arg)
{
    struct event_stream *s = arg;

    stream_unlink(s);
    evhttp_send_reply_end(s->req);
    stream_free(s);
}

static void
stream_end(struct event_stream *s)
{
    stream_unlink(s);
    server_on_close(s->all->daemon, s->req, NULL, NULL);
    evhttp_send_reply_end(s->req);
    stream_free(s);
}

static struct bufferevent *
stream_connection(const struct event_stream *s)
{
    return evhttp_connection_get_bufferevent(evhttp_request_get_connection(s->req));
}

/* Closes it without an end, so that a reader knows that more would have come. evhttp
 * sees the end of the connection in the next pass of the loop. */
static void
stream_cut(struct event_stream *s)
{
    s->cut = true;
    shutdown(bufferevent_getfd(stream_connection(s)), SHUT_RDWR);
}

/* --- rights ------------------------------------------------------------- */

/* May it see what only those see who may see the submission's source? */
static bool
stream_sees_course(const struct event_stream *s, const struct logged_event *event)
{
    const struct submission sub = {.user = (char *)(uintptr_t)event->user,
                                   .problem = (char *)(uintptr_t)event->problem};

    return s->submission != 0 || rights_own_source(s->all->daemon, &s->who.who, &sub);
}

/* May it know that somebody has submitted this to the problem? */
static bool
stream_sees_work(const void *stream, const char *problem, const char *user, bool graded)
{
    const struct event_stream *s = stream;
    struct report r = {0};
    bool hides = false;

    if (graded && !rights_see_graded(&s->who.who, user))
        return false;
    if (hiding_hides_work(s->all->daemon->hiding, &s->who.who, problem, user, &hides,
                          &r) == 0)
        return !hides;
    log_line("an event is told to nobody: %s", r.text);
    return false;
}

static bool
stream_must_be_asked(const struct event_stream *s)
{
    return s->beat != s->all->beat || watcher_must_be_asked(&s->who, s->all->daemon);
}

/* --- writing ------------------------------------------------------------ */

static void
add_id(struct buf *text, const struct events *e, uint64_t number)
{
    buf_printf(text, "id: %llx-%llu\n", (unsigned long long)e->daemon->born,
               (unsigned long long)number);
}

static bool
stream_wants(const struct event_stream *s, const struct logged_event *event)
{
    if (s->submission != 0 ? event->submission != s->submission
                           : event->kind == EVENT_PLACE)
        return false;
    if ((s->user != NULL && strcmp(s->user, event->user) != 0) ||
        (s->problem != NULL && strcmp(s->problem, event->problem) != 0))
        return false;
    if (!stream_sees_work(s, event->problem, event->user, event->graded))
        return false;
    /* What is not told yet of a beginning will be as it is then. */
    if (s->begins && event->submission > s->begun && event->kind != EVENT_DONE)
        return false;
    return event->kind != EVENT_COURSE || stream_sees_course(s, event);
}

static void
stream_add_event(struct event_stream *s, struct buf *text)
{
    const struct events *e = s->all;
    const struct logged_event *event = event_log_get(e->log, s->number);

    if (stream_wants(s, event)) {
        if (!s->begins)
            add_id(text, e, s->number);
        buf_puts(text, event->text);
        s->over = s->submission != 0 && event->kind == EVENT_DONE;
    }
    s->number++;
}

/* Tells some of the unfinished submissions as they are now, and then where that ends. */
static void
stream_add_beginning(struct event_stream *s, struct buf *text)
{
    struct events *e = s->all;
    const struct queue_filter filter = {s->submission, s->user, s->problem,
                                        stream_sees_work, s};

    if (queue_add_states(e->daemon->queue, &filter, &s->begun, text))
        return;
    s->begins = false;
    add_id(text, e, s->number - 1);
    buf_puts(text, "event: live\ndata: {}\n\n");
}

static void stream_write(struct event_stream *s);

static void
stream_on_taken(struct evhttp_connection *connection, void *arg)
{
    LOOP_HANDLER("a stream of events");

    (void)connection;
    stream_write(arg);
}

static void
stream_send(struct event_stream *s, const struct buf *text)
{
    struct evbuffer *chunk = evbuffer_new();

    if (chunk == NULL || evbuffer_add(chunk, text->data, text->len) != 0)
        die(4, "out of memory");
    evhttp_send_reply_chunk_with_cb(s->req, chunk, stream_on_taken, s);
    evbuffer_free(chunk);
}

/* Collects what a stream may get now. */
static void
stream_collect(struct event_stream *s, size_t room, struct buf *text)
{
    const struct event_log *log = s->all->log;
    const uint64_t begin = loop_cpu_ns();

    while (!s->over && text->len < room && loop_cpu_ns() - begin < TURN_CPU_NS) {
        if (s->number <= event_log_last(log))
            stream_add_event(s, text);
        else if (s->begins)
            stream_add_beginning(s, text);
        else
            break;
    }
}

/* Has it more to get than it was given now, though its reader has taken all? */
static bool
stream_lags(const struct event_stream *s)
{
    return s->begins || s->number <= event_log_last(s->all->log);
}

static void events_wake(struct events *e);

/* Writes as much to a stream as its reader may get now, or ends it. */
static void
stream_write(struct event_stream *s)
{
    const size_t unsent =
        evbuffer_get_length(bufferevent_get_output(stream_connection(s)));
    struct buf text = {0};

    if (s->cut)
        return;
    if (s->number < event_log_first(s->all->log)) {
        stream_cut(s);
        return;
    }
    if (stream_must_be_asked(s)) {
        if (!watcher_is_allowed(&s->who, s->all->daemon, s->req, s->submission)) {
            stream_end(s);
            return;
        }
        if (s->beat != s->all->beat && unsent == 0)
            buf_puts(&text, ":\n\n");
        s->beat = s->all->beat;
    }
    if (unsent < STREAM_LEAD_BYTES)
        stream_collect(s, STREAM_LEAD_BYTES - unsent, &text);
    if (text.len > 0)
        stream_send(s, &text);
    else if (unsent == 0 && stream_lags(s))
        events_wake(s->all); /* a turn was too short for what it does not want */
    buf_free(&text);
    if (s->over)
        stream_end(s);
}

/* --- everybody's turns -------------------------------------------------- */

static void
events_wake(struct events *e)
{
    static const struct timeval next_pass = {0};

    e->again = true;
    evtimer_add(e->step, &next_pass);
}

static void
events_on_step(evutil_socket_t fd, short what, void *arg)
{
    static const struct timeval next_pass = {0};
    LOOP_HANDLER("the streams of events");
    struct events *e = arg;
    const uint64_t begin = loop_cpu_ns();

    (void)fd;
    (void)what;
    if (e->turn == NULL && e->again) {
        e->turn = e->first;
        e->again = false;
    }
    while (e->turn != NULL && loop_cpu_ns() - begin < TURN_CPU_NS) {
        struct event_stream *s = e->turn;

        e->turn = s->next;
        stream_write(s);
    }
    if (e->turn != NULL || e->again)
        evtimer_add(e->step, &next_pass);
}

/* Events name the users of submissions. What was told of an account that has another name
 * now, or is gone, is told nobody again. */
static void
events_forget_old_names(struct events *e)
{
    const uint64_t renamed = store_renamed(e->daemon->store);

    if (renamed != e->renamed)
        event_log_forget(e->log);
    e->renamed = renamed;
}

static void
events_on_tick(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("the keep-alive of events");
    struct events *e = arg;
    const uint64_t rights = store_rights_version(e->daemon->store);

    (void)fd;
    (void)what;
    events_forget_old_names(e);
    if (++e->ticks % TICKS_PER_BEAT == 0)
        e->beat++;
    if (e->first != NULL && (rights != e->rights || e->ticks % TICKS_PER_BEAT == 0))
        events_wake(e);
    e->rights = rights;
}

void
events_add(struct events *e, const struct logged_event *event)
{
    events_forget_old_names(e);
    event_log_add(e->log, event);
    if (e->first != NULL)
        events_wake(e);
}

void
events_add_lost(struct events *e)
{
    event_log_add_lost(e->log);
    if (e->first != NULL)
        events_wake(e);
}

/* --- beginnings --------------------------------------------------------- */

/* Reads the id of the last event that a reader has got. Returns NULL, and sets *number to
 * the next one; or says why the stream begins anew. */
static const char *
read_last_id(const struct events *e, const char *header, uint64_t *number)
{
    char run[24];
    int64_t last;
    size_t len;

    if (header == NULL || header[0] == '\0')
        return "new";
    snprintf(run, sizeof run, "%llx-", (unsigned long long)e->daemon->born);
    len = strlen(run);
    if (strncmp(header, run, len) != 0 ||
        !request_number(header + len, 0, INT64_MAX, &last) ||
        (uint64_t)last > event_log_last(e->log))
        return "unknown";
    if ((uint64_t)last + 1 < event_log_first(e->log))
        return "behind";
    *number = (uint64_t)last + 1;
    return NULL;
}

/* Is the submission done, and does the reader know that already? */
static bool
nothing_follows(const struct events *e, const struct events_scope *scope, uint64_t number)
{
    struct queue_state state;

    if (scope->submission == 0 || queue_find(e->daemon->queue, scope->submission, &state))
        return false;
    for (; number <= event_log_last(e->log); number++)
        if (event_log_get(e->log, number)->submission == scope->submission)
            return false;
    return true;
}

static void
add_headers(struct http_call *c)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);

    evhttp_add_header(headers, "Content-Type", EVENTS_TYPE);
    evhttp_add_header(headers, "X-Accel-Buffering",
                      "no"); /* nginx passes them on at once */
    evhttp_add_header(headers, "Connection", "close");
}

/* What is told of a submission that is done already, and the end. */
static int
add_done(struct event_stream *s, struct buf *text, struct report *r)
{
    struct submission sub;
    bool found = false;

    if (store_get(s->all->daemon->store, s->submission, &found, &sub, r) != 0)
        return -1;
    if (found && sub.done) {
        add_id(text, s->all, s->number - 1);
        told_add_done(text, &sub);
        s->over = true;
    }
    if (found)
        submission_free(&sub);
    return 0;
}

static struct event_stream *
stream_new(struct http_call *c, const struct events_scope *scope)
{
    struct events *e = c->daemon->events;
    struct event_stream *s = xcalloc(1, sizeof *s);

    *s = (struct event_stream){.next = e->first,
                               .link = &e->first,
                               .all = e,
                               .req = c->req,
                               .who = watcher_new(c),
                               .submission = scope->submission,
                               .user = scope->user != NULL ? xstrdup(scope->user) : NULL,
                               .problem = scope->problem != NULL ? xstrdup(scope->problem)
                                                                 : NULL,
                               .beat = e->beat,
                               .number = event_log_last(e->log) + 1};
    if (s->next != NULL)
        s->next->link = &s->next;
    e->first = s;
    if (s->submission != 0)
        queue_watch(e->daemon->queue, s->submission);
    return s;
}

static void
stream_begin(struct http_call *c, const struct events_scope *scope, const char *why,
             uint64_t number)
{
    const struct timeval write_timeout = {.tv_sec = STREAM_WRITE_TIMEOUT_S};
    struct event_stream *s = stream_new(c, scope);
    struct queue_state state;
    struct report r = {0};
    struct buf text = {0};

    add_headers(c);
    reply_headers(c);
    server_on_close(c->daemon, c->req, stream_on_close, s);
    evhttp_send_reply_start(c->req, 200, "OK");
    /* There is no timeout for reading, because a reader sends nothing while it waits. */
    bufferevent_set_timeouts(stream_connection(s), NULL, &write_timeout);
    buf_printf(&text, "retry: %d\n\n", RECONNECT_MS);
    if (why == NULL)
        s->number = number;
    else
        buf_printf(&text, "event: reset\ndata: {\"reason\":\"%s\"}\n\n", why);
    s->begins = why != NULL;
    /* The store knows of the end only when the queue has let it go. */
    if (why != NULL && scope->submission != 0 &&
        !queue_find(c->daemon->queue, scope->submission, &state) &&
        add_done(s, &text, &r) != 0)
        log_line("submission %lld: %s", (long long)scope->submission, r.text);
    stream_send(s, &text);
    buf_free(&text);
    if (s->over)
        stream_end(s);
    else
        stream_write(s);
}

void
events_open(struct http_call *c, const struct events_scope *scope)
{
    struct events *e = c->daemon->events;
    uint64_t number = 0;
    struct report r = {0};
    const char *why;

    events_forget_old_names(e);
    why = read_last_id(
        e, evhttp_find_header(evhttp_request_get_input_headers(c->req), "Last-Event-ID"),
        &number);
    if (call_is_head(c)) {
        add_headers(c);
        reply_head(c, 200);
    } else if (why == NULL && nothing_follows(e, scope, number)) {
        evhttp_send_reply(c->req, 204, status_words(204), NULL);
    } else if (server_may_stream(c, &r) != 0) {
        reply_later(c, 503, "%s", r.text);
    } else {
        stream_begin(c, scope, why, number);
    }
}

/* --- all of them -------------------------------------------------------- */

bool
events_any(const struct events *e)
{
    return e->first != NULL;
}

struct events *
events_new(struct daemon *d)
{
    static const struct timeval tick = {.tv_usec = TICK_MS * 1000};
    struct events *e = xcalloc(1, sizeof *e);

    e->daemon = d;
    e->log = event_log_new(EVENTS_KEPT);
    e->step = evtimer_new(d->base, events_on_step, e);
    e->tick = event_new(d->base, -1, EV_PERSIST, events_on_tick, e);
    if (e->step == NULL || e->tick == NULL || evtimer_add(e->tick, &tick) != 0)
        die(4, "out of memory");
    e->renamed = store_renamed(d->store);
    return e;
}

void
events_end(struct events *e)
{
    for (struct event_stream *s = e->first, *next; s != NULL; s = next) {
        next = s->next;
        stream_end(s);
    }
}

void
events_free(struct events *e)
{
    if (e == NULL)
        return;
    events_end(e);
    event_log_free(e->log);
    event_free(e->step);
    event_free(e->tick);
    free(e);
}
