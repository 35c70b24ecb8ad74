#include "daemon/loop_watch.h"

#include "daemon/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

uint64_t
loop_cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The limit in nanoseconds; 0: nothing is watched. */
static uint64_t
loop_limit_ns(void)
{
    static bool read;
    static uint64_t limit_ns;
    const char *text;

    if (read)
        return limit_ns;
    read = true;
    text = getenv("WARPJUDGE_LOOP_LIMIT_US");
    if (text != NULL)
        limit_ns = strtoull(text, NULL, 10) * 1000u;
    if (limit_ns > 0)
        log_line("handlers of more than %llu us of CPU time are logged",
                 (unsigned long long)(limit_ns / 1000u));
    return limit_ns;
}

struct loop_handler
loop_handler_begin(const char *what)
{
    struct loop_handler h = {0};

    if (loop_limit_ns() == 0)
        return h;
    snprintf(h.what, sizeof h.what, "%s", what);
    h.begin_ns = loop_cpu_ns();
    return h;
}

void
loop_handler_end(struct loop_handler *h)
{
    const uint64_t limit = loop_limit_ns();
    uint64_t took;

    if (limit == 0)
        return;
    took = loop_cpu_ns() - h->begin_ns;
    if (took > limit)
        log_line("the event loop was held for %llu us of CPU time by %s",
                 (unsigned long long)(took / 1000u), h->what);
}
