/*
 * Runs a program that we do not trust, or that eats what strangers send: bubblewrap with
 * its own user, pid, network, ipc, uts and cgroup namespaces, a read-only system, a
 * private /tmp, resource limits set before exec, a seccomp filter that allows a list of
 * calls, no new privileges, no capabilities. Everything started here dies with the thread
 * that started it, and every process inside dies with the first one.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "core/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sandbox_bind {
    const char *from; /* host path */
    const char *to;   /* path inside */
    bool writable;
};

struct sandbox_fd {
    int from; /* our descriptor; stays ours */
    int to;   /* its number inside; 3 or more */
};

/* Paths are paths inside the sandbox. With `insecure` there is no inside: program and
 * chdir must then be host paths, and bind and tmp_bytes are ignored. */
struct sandbox {
    const char *program;             /* path inside the sandbox */
    const char *const *argv;         /* NULL-terminated */
    const char *const *env;          /* NAME=VALUE; nothing else is inherited */
    const struct sandbox_bind *bind; /* besides the system's /usr, /lib, /lib64, /bin,
                                        /sbin, /etc/alternatives and /etc/ld.so.cache */
    int bind_count;
    const struct sandbox_fd *fd;
    int fd_count;
    const char *chdir;      /* NULL: / */
    bool bare;              /* no /proc, and no device but /dev/null */
    bool one_process;       /* it may start threads, but no other process */
    bool no_memory_files;   /* no memory that address_space_bytes does not count: files in
                               memory, kept without being mapped */
    const char *const *gpu; /* NULL: none; else device nodes, NULL-terminated, and the
                               driver's files are there too */
    bool insecure; /* no namespaces at all: --insecure-no-sandbox; limits still hold */
    /* Limits; 0: none. `processes` counts the sandbox's own processes for an ordinary
     * user; Linux never enforces it for uid 0. cpu_seconds, address_space_bytes and
     * file_bytes hold for each process. A CUDA process reserves terabytes of addresses:
     * leave address_space_bytes 0 for it. */
    uint64_t cpu_seconds, address_space_bytes, file_bytes, processes, open_files;
    /* Of all its processes and of its /tmp and /dev/shm together; held where there are
     * control groups (cgroup.h), and `processes` is then held for root, too. 0: no group.
     */
    uint64_t memory_bytes;
    uint64_t tmp_bytes; /* size of the private /tmp, and of /dev/shm; 0: 64 MiB */
};

/* A running program. Owned by the caller until sandbox_wait has returned. */
struct sandbox_process {
    pid_t pid;  /* bubblewrap's, leader of its own process group */
    int output; /* read end of a pipe with its stdout and stderr; non-blocking */
    /* Private to sandbox.c. */
    int info;                   /* bubblewrap's status messages; -1: insecure */
    int init_pidfd;             /* process 1 of the sandbox (insecure: the program) */
    struct cgroup_place *group; /* NULL: none */
    pid_t init;                 /* process 1 */
    pid_t program;              /* process 2, once freeze.c has looked for it; else 0 */
    int program_pidfd;          /* its; good where program is not 0 */
    /* After sandbox_wait. */
    bool survived;      /* something of it lives on, for all we did */
    bool out_of_memory; /* the kernel killed some of it for memory_bytes */
};

enum sandbox_end {
    SANDBOX_EXITED,    /* `code` is its exit status */
    SANDBOX_SIGNALED,  /* `code` is the signal that ended it. Through bubblewrap a program
                          that  exits with 128+n looks the same as one that signal n ended
                        */
    SANDBOX_TIMED_OUT, /* we killed it at the deadline */
    SANDBOX_OUTPUT_LIMIT, /* we killed it for what it printed */
    SANDBOX_FAILED, /* the program never ran (our failure): what it said is in out */
};

/* stdin is /dev/null. Fails (with a report) only for reasons of ours: no bwrap, no user
 * namespaces, no such program. */
int sandbox_start(const struct sandbox *s, struct sandbox_process *p, struct report *r);

/* Reads what it prints into out (kept up to keep_bytes; more than limit_bytes (0: no
 * limit) kills it) until it ends or deadline_ms (0: none) have passed since the call,
 * then makes sure that nothing of it lives. Closes p's descriptors. out may be NULL. */
struct buf;
enum sandbox_end sandbox_wait(struct sandbox_process *p, uint64_t deadline_ms,
                              struct buf *out, size_t keep_bytes, size_t limit_bytes,
                              int *code);

/* Has it ended by itself? Does not block, does not reap what sandbox_wait needs. */
bool sandbox_ended(const struct sandbox_process *p);

/* SIGKILL to all of it; sandbox_wait must still be called. */
void sandbox_kill(struct sandbox_process *p);

/* Makes the program of a sandbox with one_process stand still, every thread of it, until
 * sandbox_thaw; what it gave a device to do goes on. 0: it stands, or has ended. 1: some
 * thread of it did not stop within a second. -1: we failed. */
int sandbox_freeze(struct sandbox_process *p, struct report *r);
void sandbox_thaw(struct sandbox_process *p);

/* 0 if sandboxes work here; otherwise a sentence that says why and what to do. */
int sandbox_probe(struct report *r);

#endif
