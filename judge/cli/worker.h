/*
 * `warpjudge worker`: judges for a daemon on another machine. Private to worker*.c.
 *
 * One process works for one device. It asks the daemon for work, and fetches the problem
 * if it does not have it yet. Then it runs warpjudge-compile and warpjudge-arbiter as the
 * daemon does (record/job.h), and sends the two result files. Meanwhile it tells the
 * daemon that it lives, and how far it is.
 *
 * A compiler is a process like that without a device. It compiles what workers judge, and
 * the daemon knows it as a worker of its own. The compilers beside devices live as long
 * as any process that judges: worker_fork.c ends them after the last of those.
 *
 *     worker.c          the verb: what was said, and what the machine has
 *     worker_fork.c     a process for each device and each compiler
 *     worker_slot.c     one device's loop: register, lease, judge, leave
 *     worker_judge.c    one attempt, from its lease to its result
 *     worker_arbiter.c  the arbiter, which stays from one lease to the next
 *     worker_artefact.c what is compiled on one worker and judged on another
 *     worker_sharing.c  what the processes of several devices have in common
 *     worker_problem.c  the problems that were fetched
 *     worker_run.c      programs of the judge's, with a pulse beside them
 *
 * Below HOME/worker are jobs/, a folder for each attempt, and problems/. The cache of
 * compiled programs is HOME/cache, as a daemon's.
 */
#ifndef CLI_WORKER_H
#define CLI_WORKER_H

#include "base/buf.h"
#include "base/config.h"
#include "base/report.h"
#include "cli/client.h"
#include "cli/worker_arbiter.h"
#include "cli/worker_run.h"
#include "compile/linked.h"
#include "record/job.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WORKER_DEVICES_MAX 32
#define WORKER_COMPILERS_MAX 32

struct worker_device {
    char *name, *board, *title, *arch;
    int64_t memory_bytes;
    bool compiles; /* it is what stands in a compiler's place of a device */
};

/* The memory that the processes of a worker share. */
struct worker_shared {
    _Atomic uint64_t worked_ns; /* when any of them had work last, by worker_has_worked()
                                 */
    atomic_bool has_warned;     /* one of them has said that the token may do more */
    atomic_bool refused;        /* one of them has said that the token may do less */
    /* Of each device: another process waits for it, so that an idle arbiter leaves. */
    _Atomic bool wanted[WORKER_DEVICES_MAX];
};

/*
 * What the processes of a worker have in common. A judgement for two GPUs is done by the
 * process of one, with the device of another. The daemon gives that one no work
 * meanwhile. When the daemon gives such a judgement up, its process hears of it seconds
 * later. So a process locks the devices that it uses. A GPU whose arbiter is idle stays
 * locked, and its process has the arbiter leave when another one waits for the GPU.
 */
struct worker_sharing {
    char siblings[33]; /* what the daemon knows them by; "": there is one */
    int locks;         /* a file with a byte for each device */
    struct worker_shared *memory;
};

/* What all devices of a worker share. */
struct worker_setup {
    const struct config *config;
    const char *url;
    char *token;
    char *node, *toolkit, *driver;
    char linked[LINKED_BYTES]; /* "": it cannot be said, and artefacts are not for us */
    char lacks[400];           /* what the machine lacks, for people; empty: nothing */
    bool insecure;
    long idle_s;     /* it leaves after so long without work; 0: never */
    int64_t until_s; /* it is gone by then, in seconds since 1970; 0: it stays */
    int signals;     /* of signalfd: it is readable when the worker is to stop */
    const struct worker_device *device[WORKER_DEVICES_MAX]; /* those that it uses */
    int device_count; /* 0: --compile-only, and it judges nothing */
    int compilers;    /* how many it compiles at a time, beside its devices */
    struct worker_sharing sharing;
};

/* One device's connection to the daemon. */
struct worker_slot {
    const struct worker_setup *setup;
    const struct worker_device *device;
    struct client *client;
    char *id; /* that the daemon has given; NULL: it is to register */
    int64_t heartbeat_s, lease_s;
    long stay; /* how many an arbiter judges, as the daemon says; 1: it does not stay */
    struct worker_arbiter *arbiter;
    uint64_t longest_ns; /* the longest judgement so far */
    bool registered;     /* the daemon has known it */
    bool token_is_short; /* its token is not for all that the worker does */
    char *said;          /* what went wrong last, while it goes wrong again; or NULL */
};

/* Works for all devices and compilers until all have left. Returns the exit status. */
int worker_run_all(const struct worker_setup *setup, struct report *r);

/* Before the processes are started. */
int worker_share(struct worker_setup *setup, struct report *r);

/* The device of this name, which judges for two GPUs together with the slot's; or NULL.
 */
const struct worker_device *worker_partner(const struct worker_slot *s, const char *name);

/* Takes the slot's device, and the partner's where it is not NULL, for this process.
 * False where another process of the worker has one of them. */
bool worker_take_devices(const struct worker_slot *s,
                         const struct worker_device *partner);

/* Gives them back, but for a GPU of the slot's that an arbiter still has. */
void worker_leave_devices(const struct worker_slot *s);

/* Does another process wait for the slot's device? */
bool worker_device_is_wanted(const struct worker_slot *s);

/* The slot has worked now, so that --idle-s begins anew. What a compiler beside devices
 * does counts where it is compiled for an architecture of theirs. Else another board's
 * work would keep a GPU that has none. */
void worker_has_worked(const struct worker_slot *s, const char *arch);

/* Works for one device, or as a compiler, until it is time to leave. Returns the exit
 * status. */
int worker_work(const struct worker_setup *setup, const struct worker_device *device,
                struct report *r);

/* What came of an attempt. */
enum worker_end {
    WORKER_SENT,    /* the daemon has the result */
    WORKER_GIVEN_UP /* it was given back, or the daemon does not want it any more */
};

/* Judges what a lease says. `lease` is the daemon's answer. */
enum worker_end worker_judge(struct worker_slot *s, const cJSON *lease);

/* Adds to a result what was compiled in the folder, and its hash. `job` is the lease's.
 */
int worker_artefact_add(const struct worker_slot *s, const struct job *job,
                        const char *source, const char *folder, struct buf *text,
                        struct report *r);

/* Fetches what the lease names and another worker has compiled, checks it, and writes its
 * files into the folder. */
int worker_artefact_fetch(struct worker_slot *s, const cJSON *lease,
                          const struct job *job, const char *folder, struct report *r);

/* The body of a message, with the worker's id. */
cJSON *worker_message(const struct worker_slot *s);

/* Has a signal come that ends the worker? */
bool worker_is_to_stop(const struct worker_setup *setup);

/* For how many seconds the worker may still be there. */
double worker_seconds_left(const struct worker_setup *setup);

/* The folder whose sub-folder SLUG is this problem, which is fetched where it is not
 * there. The caller frees. NULL and a report where it cannot be had. */
char *worker_problem(struct worker_slot *s, const char *slug, const char *hash,
                     struct report *r);

#endif
