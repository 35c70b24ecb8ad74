/* The routes of the API: what is called how, who may call it, and which function answers.
 * A route that is not in the table does not exist. A row stands for two paths: api/health
 * for /api/v1/health, and for /api/health, as it was before the API had versions. The
 * metrics are at /metrics, too, where Prometheus looks unless it is told otherwise. */
#ifndef DAEMON_ROUTES_H
#define DAEMON_ROUTES_H

#include "daemon/rights.h"

#include <event2/http.h>
#include <stddef.h>

struct http_call;

struct route {
    enum evhttp_cmd_type method;
    const char *pattern; /* * stands for one segment of the path */
    enum need need;
    void (*answer)(struct http_call *c);
    const char *query; /* the parameters that it takes, with spaces between; NULL: none */
};

extern const struct route routes[];
extern const size_t route_count;

#endif
