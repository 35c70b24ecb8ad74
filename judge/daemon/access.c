#include "daemon/access.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/peer.h"

#include <ctype.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECRET_LETTERS_LEAST                                                             \
    32 /* no slug and no number has such a run; a secret has 64 */
#define TELL_S 5

struct access_log {
    struct metrics *metrics;
    struct event *tell; /* of lines that were left out */
    double lines;       /* that may be written now */
    uint64_t refilled_ns;
    uint64_t left_out, told; /* since the start */
};

/* --- how many lines ----------------------------------------------------- */

static void
access_log_tell(struct access_log *log)
{
    if (log->left_out > log->told)
        log_line("%llu lines of requests were left out: there were more than %d in a "
                 "second",
                 (unsigned long long)(log->left_out - log->told), ACCESS_LINES_PER_S);
    log->told = log->left_out;
}

static void
access_log_on_tell(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    access_log_tell(arg);
}

static bool
access_log_takes(struct access_log *log)
{
    static const struct timeval soon = {.tv_sec = TELL_S};
    const uint64_t now = now_ns();

    log->lines += (double)(now - log->refilled_ns) / 1e9 * ACCESS_LINES_PER_S;
    log->refilled_ns = now;
    if (log->lines > ACCESS_LINES_AT_ONCE)
        log->lines = ACCESS_LINES_AT_ONCE;
    if (log->lines < 1) {
        if (log->left_out++ == log->told)
            evtimer_add(log->tell, &soon);
        return false;
    }
    log->lines--;
    return true;
}

uint64_t
access_log_left_out(const struct access_log *log)
{
    return log->left_out;
}

struct access_log *
access_log_new(struct event_base *base, struct metrics *m)
{
    struct access_log *log = xcalloc(1, sizeof *log);

    log->metrics = m;
    log->lines = ACCESS_LINES_AT_ONCE;
    log->refilled_ns = now_ns();
    log->tell = evtimer_new(base, access_log_on_tell, log);
    if (log->tell == NULL)
        die(4, "out of memory");
    return log;
}

void
access_log_free(struct access_log *log)
{
    if (log == NULL)
        return;
    access_log_tell(log);
    event_free(log->tell);
    free(log);
}

/* --- one request -------------------------------------------------------- */

/* Copies a path, as much as there is place for, with "..." where a run of letters and
 * digits is as long as a secret. */
static void
access_show_path(const char *path, char *out, size_t size)
{
    size_t len = 0;

    while (*path != '\0') {
        size_t run = 0, shown;

        while (isalnum((unsigned char)path[run]))
            run++;
        shown = run >= SECRET_LETTERS_LEAST ? 3 : run > 0 ? run : 1;
        if (len + shown >= size)
            break;
        memcpy(out + len, run >= SECRET_LETTERS_LEAST ? "..." : path, shown);
        len += shown;
        path += run > 0 ? run : 1;
    }
    out[len] = '\0';
}

static const char *
access_method(struct evhttp_request *req)
{
    static const struct {
        enum evhttp_cmd_type method;
        const char *name;
    } METHODS[] = {{EVHTTP_REQ_GET, "GET"},         {EVHTTP_REQ_POST, "POST"},
                   {EVHTTP_REQ_HEAD, "HEAD"},       {EVHTTP_REQ_DELETE, "DELETE"},
                   {EVHTTP_REQ_OPTIONS, "OPTIONS"}, {EVHTTP_REQ_PUT, "PUT"},
                   {EVHTTP_REQ_PATCH, "PATCH"},     {EVHTTP_REQ_TRACE, "TRACE"}};
    const enum evhttp_cmd_type method = evhttp_request_get_command(req);

    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if (METHODS[i].method == method)
            return METHODS[i].name;
    return "other";
}

struct access *
access_begin(struct access_log *log, struct evhttp_request *req)
{
    struct access *a = xcalloc(1, sizeof *a);
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
    const char *path = uri != NULL ? evhttp_uri_get_path(uri) : NULL;

    a->log = log;
    a->begin_ns = now_ns();
    a->method = access_method(req);
    peer_address(req, a->address, sizeof a->address);
    access_show_path(path != NULL ? path : "", a->path, sizeof a->path);
    return a;
}

void
access_end(struct access *a, int status, size_t bytes)
{
    const double seconds = (double)(now_ns() - a->begin_ns) / 1e9;
    const struct log_field fields[] = {
        {"user", .text = a->user[0] != '\0' ? a->user : "-"},
        {"address", .text = a->address},
        {"method", .text = a->method},
        {"path", .text = a->path},
        {"route", .text = a->route != NULL ? a->route->pattern : "-"},
        {"status", .number = status},
        {"bytes", .number = (double)bytes},
        {"ms", .number = (double)(int64_t)(seconds * 1e6) / 1e3},
    };

    metrics_count_request(a->log->metrics, a->route, status, seconds);
    if (access_log_takes(a->log))
        log_event("request", fields, sizeof fields / sizeof *fields);
    free(a);
}
