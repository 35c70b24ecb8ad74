/* One of Slurm's commands, as a child of the daemon's: it never holds the loop, has
 * COMMAND_LIMIT_MS, and what it prints is bounded. */
#ifndef DAEMON_SLURM_COMMAND_H
#define DAEMON_SLURM_COMMAND_H

#include "base/report.h"
#include "daemon/child.h"

#include <stdbool.h>

/* munge alone retries for 49 s when its daemon is gone. */
#define COMMAND_LIMIT_MS 20000
#define COMMAND_LINES_MAX 20000

struct slurm_command {
    struct child *child; /* NULL: it does not run */
    int lines;
    bool too_long; /* it printed more than COMMAND_LINES_MAX lines */
    const char *program;
    void (*line)(void *arg, const char *line);
    /* `failed` is empty where it ended with status 0. */
    void (*ended)(void *arg, const struct report *failed);
    void *arg;
};

/* The path of a command on PATH, which the caller frees; or NULL. */
char *slurm_command_find(const char *name);

/* Starts it. `c` has program, line, ended and arg set, and is the caller's until `ended`
 * was called. words[0] is the program's path. -1 where it cannot be started. */
int slurm_command_start(struct slurm_command *c, struct children *children,
                        const char *const *words, struct report *r);

#endif
