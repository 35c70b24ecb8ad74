/* bubblewrap: where the program is, and the command line that makes a sandbox with it. */
#ifndef SANDBOX_BUBBLEWRAP_H
#define SANDBOX_BUBBLEWRAP_H

#include "sandbox/sandbox.h"

/* Descriptors that bubblewrap itself reads, by their numbers in the child. They are far
 * above those that a program is given, and bubblewrap closes them before it starts one.
 */
enum {
    BWRAP_STATUS_FD = 200,  /* --json-status-fd: process 1's pid, the exit status */
    BWRAP_BLOCK_FD = 201,   /* --block-fd: bubblewrap waits until our end is closed */
    BWRAP_SECCOMP_FD = 202, /* --seccomp: the filter's instructions */
};

/* A growing argument vector, NULL-terminated. It owns its strings; argv_free frees it. */
struct argv {
    char **v;
    int count, cap;
};
void argv_add(struct argv *a, const char *text);
void argv_free(struct argv *a);

/* Path of the program bwrap: the one of our distribution, else the system's, else NULL.
 * The caller frees it. */
char *bwrap_path(void);

/* Adds bubblewrap's command line for s to argv, and the program's environment to env.
 * own_namespace: bubblewrap makes the user namespace, because it is started in none. */
void bwrap_args(const struct sandbox *s, const char *bwrap, bool own_namespace,
                struct argv *argv, struct argv *env);

#endif
