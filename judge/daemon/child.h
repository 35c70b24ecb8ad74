/*
 * Child processes on the event loop. A child is started in a session of its own, read
 * line by line and reaped on SIGCHLD. It is killed by a watchdog, and when the daemon
 * ends (PR_SET_PDEATHSIG).
 */
#ifndef DAEMON_CHILD_H
#define DAEMON_CHILD_H

#include "base/report.h"

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
    const char *last_words; /* its last line on stderr; "" if there is none */
};

#define CHILD_LINE_MAX 65536

struct child_spec {
    const char *name;        /* in the log: "submission 7" */
    const char *const *argv; /* argv[0] is the program's path */
    bool wants_stdin;        /* a pipe for child_say; otherwise /dev/null */
    uint64_t limit_ms;       /* wall clock; 0: none */
    int cpus; /* to how many CPUs it and its children keep, unless they choose
                 others themselves; 0: to any */
    void (*line)(void *arg, const char *line); /* a line of its stdout */
    void (*ended)(void *arg,
                  const struct child_end *end); /* the child is freed after it */
    void *arg;
};

struct children *children_new(struct event_base *base);

/* Kills and reaps orphans: processes that a child has left behind, which the daemon has
 * adopted. The sandboxes of a killed arbiter end with it. Only one that is still being
 * set up may outlive it. Returns how many orphans do not die. */
int children_sweep(struct children *c);

/* Kills and reaps all children that still run. No callback is called any more. */
void children_free(struct children *c);

int child_start(struct children *c, const struct child_spec *spec, struct child **out,
                struct report *r);

/* Writes text to the child's stdin. All texts that it has not read yet must be shorter
 * than PIPE_BUF bytes together. Whether the child still reads shows in its end, not here.
 */
void child_say(struct child *child, const char *text);
void child_close_stdin(struct child *child);

/* Closes the child's stdin, which tells it to stop, and kills it if it still lives after
 * grace_ms. */
void child_stop(struct child *child, uint64_t grace_ms);

/* The child goes on for somebody else: from now on the name, the limit, the callbacks and
 * their argument are those of `spec`. It may be called from within its callback `line`,
 * which is not called again for the line that it has. */
void child_hand_over(struct child *child, const struct child_spec *spec);

/* Starts the child's watchdog anew. */
void child_set_limit(struct child *child, uint64_t limit_ms);

/* Sends SIGKILL to the child and its whole group. `ended` is called later. */
void child_kill(struct child *child);

/* How a child ended, such as "was killed by signal 9", with its last words. The caller
 * frees. */
char *child_end_text(const struct child_end *end);

#endif
