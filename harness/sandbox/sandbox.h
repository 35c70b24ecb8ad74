/*
 * Runs a program that we do not trust, or one that reads what strangers send. bubblewrap
 * gives it:
 *
 *    - a user and a group of the host that no account has (ids.h);
 *    - its own user, pid, network, ipc, uts and cgroup namespaces;
 *    - a read-only system and a private /tmp;
 *    - resource limits that are set before exec;
 *    - a seccomp filter that allows a list of calls (allowed.def);
 *    - no new privileges and no capabilities.
 *
 * The sandbox dies with the thread that started it, and every process in it dies with its
 * first one.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "base/report.h"
#include "sandbox/ids.h"

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
    int from; /* our descriptor; we keep it */
    int to;   /* its number inside; 3 or more */
};

/* Paths are paths inside the sandbox. With `insecure` there is no inside: program and
 * chdir must then be paths of the host, and bind and tmp_bytes are ignored. */
struct sandbox {
    const char *program;     /* path inside the sandbox */
    const char *const *argv; /* NULL-terminated */
    const char *const *env;  /* NAME=VALUE, NULL-terminated; nothing else is inherited */
    const struct sandbox_bind
        *bind; /* in addition to the system's /usr, /lib, /lib64, /bin, /sbin,
                  /etc/alternatives and /etc/ld.so.cache */
    int bind_count;
    const struct sandbox_fd *fd;
    int fd_count;
    const char *chdir;      /* NULL: / */
    bool bare;              /* no /proc, and no device but /dev/null */
    bool one_process;       /* it may start threads, but no other process */
    bool no_memory_files;   /* no files in memory, because address_space_bytes does not
                               count them while they are not mapped */
    bool debugs;            /* for NVIDIA's profiler and checker, which are several
                               processes: it may make FIFOs and TCP sockets, whose network
                               is its own loopback, and is told that it has its locks */
    const char *const *gpu; /* NULL: no GPU; else its device nodes, NULL-terminated; the
                               driver's files are then bound too */
    bool shared_ids; /* the same ids as other such sandboxes of this process (ids.h) */
    bool insecure;   /* no namespaces (--insecure-no-sandbox); the limits still hold */
    /* Limits; 0 means none. cpu_seconds, address_space_bytes and file_bytes hold for each
     * process by itself. A CUDA process reserves terabytes of addresses, so it must have
     * address_space_bytes 0. data_bytes is what a process may have of private writable
     * memory, touched or not; mappings that it shares do not count. `processes` includes
     * the sandbox's own; for uid 0 Linux enforces it only in control groups (ids.h). */
    uint64_t cpu_seconds, address_space_bytes, data_bytes, file_bytes, processes,
        open_files;
    /* Limit of all its processes, its /tmp and its /dev/shm together. It holds where
     * there are control groups (cgroup.h). 0: the sandbox gets no control group. */
    uint64_t memory_bytes;
    uint64_t tmp_bytes; /* size of the private /tmp, and of /dev/shm; 0: 64 MiB */
};

/* A running program. Owned by the caller until sandbox_wait has returned. */
struct sandbox_process {
    pid_t pid;  /* bubblewrap's pid; it leads its own process group */
    int output; /* read end of a non-blocking pipe with its stdout and stderr */
    /* Private to harness/sandbox. */
    int info;                   /* pipe with bubblewrap's status messages; -1: insecure */
    int init_pidfd;             /* process 1 of the sandbox (insecure: the program) */
    struct cgroup_place *group; /* NULL: none */
    struct ids ids;             /* given back by sandbox_wait, unless it survived */
    pid_t init;                 /* process 1 */
    pid_t program;              /* process 2, once freeze.c has found it; before that 0 */
    int program_pidfd;          /* valid if program is not 0 */
    /* Set by sandbox_wait. */
    bool survived;      /* some of its processes could not be killed */
    bool out_of_memory; /* the kernel killed a process of it because of memory_bytes */
};

enum sandbox_end {
    SANDBOX_EXITED,   /* `code` is its exit status */
    SANDBOX_SIGNALED, /* `code` is the signal that ended it. Through bubblewrap, a program
                         that exits with 128+n looks the same as one that signal n ended
                       */
    SANDBOX_TIMED_OUT,    /* we killed it at the deadline, or for what it had used */
    SANDBOX_STARVED,      /* we killed it because the machine gave it next to no CPU time,
                             which      is our failure */
    SANDBOX_OUTPUT_LIMIT, /* we killed it because it printed too much */
    SANDBOX_FAILED, /* the program never ran, which is our failure; `out` has what it said
                     */
};

/* Starts a sandbox, whose stdin is /dev/null. It fails (with a report) only for reasons
 * of ours: no bwrap, no user namespaces, no such program. */
int sandbox_start(const struct sandbox *s, struct sandbox_process *p, struct report *r);

/* Reads what the program prints until it ends or has to be killed. It is killed
 * deadline_ms (0: no deadline) after this call, or at more than limit_bytes of output (0:
 * no limit). Then the call makes sure that no process of the sandbox lives, and closes
 * p's descriptors. out (which may be NULL) gets at most keep_bytes of what was printed.
 */
struct buf;
enum sandbox_end sandbox_wait(struct sandbox_process *p, uint64_t deadline_ms,
                              struct buf *out, size_t keep_bytes, size_t limit_bytes,
                              int *code);

/* The same with a limit of what all its processes use together: their CPU time, and the
 * time in which all of them sleep. A process that waits for a CPU uses nothing. The wait
 * ends as SANDBOX_STARVED if used_ms are not used within wall_ms. */
enum sandbox_end sandbox_wait_used(struct sandbox_process *p, uint64_t used_ms,
                                   uint64_t wall_ms, struct buf *out, size_t keep_bytes,
                                   size_t limit_bytes, int *code);

/* Has the program ended by itself? The call does not block, and sandbox_wait still works
 * afterwards. */
bool sandbox_ended(const struct sandbox_process *p);

/* Sends SIGKILL to all of it; sandbox_wait must still be called. */
void sandbox_kill(struct sandbox_process *p);

/* Stops every thread of the program of a sandbox with one_process, until sandbox_thaw.
 * Work that the program has given to a device goes on. Returns 0 if it stands still or
 * has ended, 1 if some thread did not stop within a second of its own (usage.h), -1 if we
 * failed. */
int sandbox_freeze(struct sandbox_process *p, struct report *r);
void sandbox_thaw(struct sandbox_process *p);

/* The largest limits that a sandbox of a judgement is given. */
#define SANDBOX_CPU_SECONDS_MAX 900
#define SANDBOX_ADDRESS_SPACE_MAX ((uint64_t)8 << 30)
#define SANDBOX_FILE_BYTES_MAX ((uint64_t)256 << 20)
#define SANDBOX_PROCESSES_MAX 512
#define SANDBOX_OPEN_FILES_MAX 1024

/* Returns 0 if sandboxes with the largest limits work here; otherwise r gets a sentence
 * that says why not and what to do. */
int sandbox_probe(struct report *r);

/* The same for the limits alone, which programs without a sandbox have, too. */
int sandbox_probe_limits(struct report *r);

#endif
