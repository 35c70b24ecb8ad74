/*
 * The end of each request: it is counted (metrics.h) and gets a line in the log.
 *
 * The line has who asked, from which address, the method, the path without its query, the
 * status, the bytes that were sent, and for how long. Queries, headers and bodies are not
 * logged. A long run of letters and digits in a path is not shown, because it may be a
 * secret at the wrong place. Lines beyond the two limits below are left out and counted.
 */
#ifndef DAEMON_ACCESS_H
#define DAEMON_ACCESS_H

#include "daemon/identity.h"
#include "daemon/routes.h"

#include <stddef.h>
#include <stdint.h>

#define ACCESS_LINES_AT_ONCE 2000
#define ACCESS_LINES_PER_S 20

struct event_base;
struct metrics;
struct access_log;

/* A request that is being answered. */
struct access {
    struct access_log *log;
    uint64_t begin_ns;
    const char *method;
    const struct route *route; /* NULL: there is none for it */
    char user[USER_BYTES_MAX + 1];
    char address[64];
    char path[160]; /* as it is shown */
};

struct access_log *access_log_new(struct event_base *base, struct metrics *m);
void access_log_free(struct access_log *log);

/* How many lines were left out since the start. */
uint64_t access_log_left_out(const struct access_log *log);

/* A request has come. The caller fills user and route when they are known. */
struct access *access_begin(struct access_log *log, struct evhttp_request *req);

/* Its answer has ended with so many bytes. status 0: no answer was sent whole. Frees it.
 */
void access_end(struct access *a, int status, size_t bytes);

#endif
