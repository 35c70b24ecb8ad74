/* What the files of sandbox/ share: the pieces that sandbox.c puts together. */
#ifndef SANDBOX_INTERNAL_H
#define SANDBOX_INTERNAL_H

#include "sandbox/sandbox.h"

/* Descriptors that bubblewrap itself reads, by the numbers they have in the child. They
 * are far above what a program is given, and bubblewrap closes them before it starts one.
 */
enum {
    BWRAP_STATUS_FD =
        200, /* --json-status-fd: process 1's pid, the program's exit status */
    BWRAP_BLOCK_FD = 201,   /* --block-fd: set-up waits until our end is closed */
    BWRAP_SECCOMP_FD = 202, /* --seccomp: the filter's instructions */
};

/* A NULL-terminated argument vector under construction; argv_free frees all of it. */
struct argv {
    char **v;
    int count, cap;
};
void argv_add(struct argv *a, const char *text);
void argv_free(struct argv *a);

/* Path of the bubblewrap binary: bundled beside us, else of the system; NULL where there
 * is none. The caller frees. */
char *bwrap_path(void);

/* bubblewrap's command line and the program's environment for s. */
void bwrap_args(const struct sandbox *s, const char *bwrap, struct argv *argv,
                struct argv *env);

/* Folder that holds the NVIDIA driver's libcuda.so.1, NULL where there is none; the
 * caller frees. */
char *driver_folder(void);

/* s's limits for process pid (0: this one). Async-signal-safe. 0, or -1 with errno. */
int limits_apply(pid_t pid, const struct sandbox *s);

/* A libseccomp filter (scmp_filter_ctx), which the caller releases; NULL with a report.
 * Of s only one_process and no_memory_files count. refusal: 0, or an action of
 * libseccomp's for all that is not allowed, in place of an error. */
void *seccomp_filter(const struct sandbox *s, uint32_t refusal, struct report *r);

/* A descriptor to read the compiled seccomp filter from; -1 with a report. */
int seccomp_filter_fd(const struct sandbox *s, struct report *r);

#endif
