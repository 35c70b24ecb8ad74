/*
 * The watchdog of the event loop: it logs each handler that holds the loop for longer
 * than a limit. While a handler runs, nobody else is answered.
 *
 * It is off unless WARPJUDGE_LOOP_LIMIT_US names the limit in microseconds, as the tests
 * do (tests/e2e/harness.py). A handler's CPU time is measured and not what the wall clock
 * says, because a busy machine makes every handler wait.
 */
#ifndef DAEMON_LOOP_WATCH_H
#define DAEMON_LOOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* A handler that is under way. */
struct loop_handler {
    char what[120]; /* for the log */
    uint64_t begin_ns;
};

/* CPU time of this thread. */
uint64_t loop_cpu_ns(void);

struct loop_handler loop_handler_begin(const char *what);
void loop_handler_end(struct loop_handler *h);

/* Stands at the beginning of each function that the event loop calls: until the function
 * returns, its time counts. */
#define LOOP_HANDLER(what)                                                               \
    __attribute__((cleanup(loop_handler_end))) struct loop_handler loop_handler =        \
        loop_handler_begin(what)

#endif
