/* Programs of the judge's that a worker starts. Private to worker*.c. */
#ifndef CLI_WORKER_RUN_H
#define CLI_WORKER_RUN_H

#include "base/buf.h"
#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct worker_program {
    const char *const *argv;
    const char *input; /* what it reads, at most some lines */
    uint64_t limit_ms; /* the watchdog */
    uint64_t pulse_ms; /* how often `pulse` is called */
    /* A line of its standard output. */
    void (*line)(void *arg, const char *line);
    /* Other than 0 ends the program. */
    int (*pulse)(void *arg);
    void *arg;
};

/* Runs a program to its end. -1 and a report unless it exits with 0. */
int worker_run(const struct worker_program *p, struct report *r);

/* A program that was started, in a session of its own. It is killed when we end. */
struct worker_child {
    pid_t pid; /* 0: there is none */
    char *program;
    int in, out;     /* its standard input, -1 once that is closed, and its output */
    struct buf text; /* a line that has not ended yet */
};

int worker_child_start(struct worker_child *c, const char *const *argv, struct report *r);

/* Writes to its standard input. What it has not read yet must be shorter than PIPE_BUF
 * bytes together. Whether it still reads shows in its end, not here. */
void worker_child_say(struct worker_child *c, const char *text);
void worker_child_close_input(struct worker_child *c);

/* Waits for output, for wait_ms at most, and hands over the lines that have come. False
 * where the program has closed its output. */
bool worker_child_read(struct worker_child *c, int wait_ms,
                       void (*line)(void *arg, const char *line), void *arg);

/* Hands over the program's lines until it closes its output, or until *enough, where that
 * is not NULL. False and a report where it is to be killed: it runs for too long, or the
 * pulse says so. Of `p` neither argv nor input is looked at. */
bool worker_child_watch(struct worker_child *c, const struct worker_program *p,
                        const bool *enough, struct report *r);

/* Kills the program where that is said, and waits for its end. What it has left in its
 * group is killed, too. -1 and a report unless it has exited with 0. A report that is
 * there stays. */
int worker_child_end(struct worker_child *c, bool kills, struct report *r);

#endif
