/*
 * Child processes on the event loop: started in a process group of their own, read line
 * by line, reaped on SIGCHLD, killed with the daemon (PR_SET_PDEATHSIG) and by a
 * watchdog.
 */
#ifndef DAEMON_CHILD_H
#define DAEMON_CHILD_H

#include "core/report.h"

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct children;
struct child;

struct child_end {
    bool signaled;
    int code;               /* exit status, or the signal */
    bool timed_out;         /* our watchdog killed it */
    bool babbled;           /* we killed it for a line longer than CHILD_LINE_MAX */
    const char *last_words; /* its last line on stderr; "" if none */
};

#define CHILD_LINE_MAX 65536

struct child_spec {
    const char *name;        /* in the log: "submission 7" */
    const char *const *argv; /* argv[0] is the program's path */
    bool wants_stdin;        /* a pipe for child_say; otherwise /dev/null */
    uint64_t limit_ms;       /* wall clock; 0: none */
    int cpus;                /* it and what it starts keep to so many, unless they choose
                                others themselves; 0: any */
    void (*line)(void *arg, const char *line); /* a line of its stdout */
    void (*ended)(void *arg,
                  const struct child_end *end); /* the child is freed after it */
    void *arg;
};

struct children *children_new(struct event_base *base);

/* Kills and reaps whatever children of ended children have left: they came to us, who are
 * the nearest that adopts orphans. A killed arbiter's sandboxes end with it, but one that
 * is only being set up may not know yet that it should. How many do not die. */
int children_sweep(struct children *c);

/* Kills and reaps what still runs; no callback is called any more. */
void children_free(struct children *c);

int child_start(struct children *c, const struct child_spec *spec, struct child **out,
                struct report *r);

/* Writes text to its stdin. Less than PIPE_BUF bytes in all; whether the child still
 * reads shows in its end, not here. */
void child_say(struct child *child, const char *text);
void child_close_stdin(struct child *child);

/* Closes its stdin, which tells it to stop, and kills it if it lives on after grace_ms.
 */
void child_stop(struct child *child, uint64_t grace_ms);

/* Its watchdog begins anew. */
void child_set_limit(struct child *child, uint64_t limit_ms);

/* SIGKILL to its whole group; `ended` follows. */
void child_kill(struct child *child);

/* "ended with status 3", "was killed by signal 9", with its last words. The caller frees.
 */
char *child_end_text(const struct child_end *end);

#endif
