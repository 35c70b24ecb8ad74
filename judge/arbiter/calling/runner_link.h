/*
 * One runner, seen from the arbiter: a process in a sandbox and the socket to it
 * (runner/protocol.h). The runner is a program of ours, which loads a submission or a
 * reference when it is told to.
 *
 * From then on nothing that comes back is trusted. Replies have one size, each is awaited
 * with a deadline, and a packet that nobody asked for is an event of its own. The
 * process's output is drained while we wait, so that a process that prints much does not
 * block in write().
 */
#ifndef ARBITER_CALLING_RUNNER_LINK_H
#define ARBITER_CALLING_RUNNER_LINK_H

#include "arbiter/calling/meter.h"
#include "base/buf.h"
#include "base/report.h"
#include "device/device.h"
#include "runner/protocol.h"
#include "sandbox/sandbox.h"

#include <stdbool.h>
#include <stdint.h>

struct runner_link;

struct runner_options {
    const char *program;                /* warpjudge-runner, a path on the host */
    const struct device_runner *device; /* how it reaches its device */
    bool insecure;

    /* On a GPU: each context has one queue between host and GPU instead of eight. The
     * driver makes and ends such a context in half the time. But streams may then wait
     * for one another, so it is not for submissions. */
    bool one_queue;

    /* 0: no limit, since a CUDA process reserves far more than it uses. */
    uint64_t address_space_bytes;

    /* A folder of the system that the runner shall not see, covered with the empty folder
     * `empty`; NULL: none. */
    const char *hidden, *empty;
};

enum runner_event {
    RUNNER_ANSWERED, /* the reply that was awaited */
    RUNNER_ENDED,    /* the process is gone: see runner_link_stop */
    RUNNER_LATE,     /* the limit has passed */
    RUNNER_STARVED, /* a limit in used time (meter.h) was not reached long after it should
                       be, since the machine gave the process too little CPU time: our
                       failure */
    RUNNER_LIED,    /* it sent something that a runner of ours never sends */
    RUNNER_FLOODED, /* it printed more than RUNNER_OUTPUT_MAX */
};

#define RUNNER_OUTPUT_MAX ((size_t)4 << 20) /* bytes on stdout and stderr together */
#define RUNNER_MEMORY_GIB 8 /* of the host, where there are control groups */
#define RUNNER_OUTPUT_KEEP ((size_t)16 << 10)

/* Starts the process and does not wait for it. Closes device->gpu_socket in any case. */
int runner_link_start(const struct runner_options *o, struct runner_link **out,
                      struct report *r);

/* Waits until the process is up, on a GPU with a context on each GPU that it sees.
 * Without this call the process comes up at some time before its first answer. To be
 * called before anything is loaded, so that a process that does not come up (-1) is our
 * failure. */
int runner_link_wake(struct runner_link *l, struct report *r);

/* The same in two steps: the first asks, and the second waits for the answer. Between
 * them the third tells whether it would wait. */
void runner_link_ask(struct runner_link *l);
int runner_link_answer(struct runner_link *l, struct report *r);
bool runner_link_has_answer(const struct runner_link *l);

/* Makes the runner load the shared object at path (runner/guest.h), whose function it
 * calls from here on, and does not wait for it. If it cannot load it, the next reply that
 * is awaited has the status RUNNER_UNLOADABLE. -1: the runner could not be told. */
int runner_link_load(struct runner_link *l, const char *path, struct report *r);

/* Makes a link of a socket and a process that the caller started (tests). A process that
 * has closed its socket may use grace_ms more before RUNNER_LIED. */
struct runner_link *runner_link_adopt(int socket, const struct sandbox_process *process,
                                      uint64_t grace_ms);

/* Sends one request, with a descriptor if fd >= 0; the caller keeps and closes fd. If the
 * runner is gone or does not read, the next wait shows it. */
void runner_link_send(struct runner_link *l, const struct runner_request *request,
                      int fd);

/* As sandbox_freeze and sandbox_thaw. A frozen process does not answer, but can be
 * killed. */
int runner_link_freeze(struct runner_link *l, struct report *r);
void runner_link_thaw(struct runner_link *l);

/* How long a runner is waited for: until a time of the wall clock, or until it has used
 * used_ns more than `since`. The second does not depend on what else the machine does;
 * the wall clock is then a distant backstop. */
struct runner_limit {
    uint64_t wall_until_ns;
    bool is_used; /* the limit is in used time */
    uint64_t used_ns;
    struct meter_use since;
};

/* Limits that begin now. */
struct runner_limit runner_limit_wall(uint64_t ms);
struct runner_limit runner_limit_used(struct runner_link *l, uint64_t ms);

/* Waits for a reply of this op until the limit has passed. reply->text is terminated. */
enum runner_event runner_link_await(struct runner_link *l, enum runner_op op,
                                    const struct runner_limit *limit,
                                    struct runner_reply *reply);

/* The same with a limit by the wall clock. */
enum runner_event runner_link_wait(struct runner_link *l, enum runner_op op,
                                   uint64_t timeout_ms, struct runner_reply *reply);

/* What the process has used since it was started. */
struct meter_use runner_link_use(struct runner_link *l);

/* The work of the emulated GPU that serves this runner (device_runner); NULL: there is
 * none. */
struct work_count *runner_link_work(struct runner_link *l);

/* From now on neither arbiter nor runner sleeps while it waits for the other, for up to
 * ms each time. A process that sleeps is woken late, and by how much varies. The host
 * must have CPUs for that (host_can_stay_awake). */
void runner_link_stay_awake(struct runner_link *l, uint32_t ms);

/* A pidfd of the process, for a watchdog that ends it; -1: the process is gone. The link
 * closes it. */
int runner_link_pidfd(const struct runner_link *l);

/* The process that the arbiter has started for it; 0: it is gone. */
pid_t runner_link_pid(const struct runner_link *l);

/* Does neither side sleep now? Then both have a CPU all the time, unless something else
 * takes it. Only then does a lost CPU show that the host is busy. */
bool runner_link_is_awake(const struct runner_link *l);

/* From now on the runner waits for its release on this CPU; < 0: on any. The empty calls
 * and the submission's must use the same one, since a launch takes the host longer on one
 * CPU than on another. */
void runner_link_use_cpu(struct runner_link *l, int cpu);

/* Has something arrived that nobody asked for? To be asked before a RELEASE, so that an
 * early DONE is a lie. */
bool runner_link_spoke(struct runner_link *l);

/* Kills the process if it is still there, and does not wait until it is gone. To end a
 * context takes the driver 50 ms. So several processes can go at once, or something else
 * is done meanwhile. runner_link_stop waits. l may be NULL. */
void runner_link_kill(struct runner_link *l);

/* How a runner ended. */
struct runner_exit {
    enum sandbox_end end;
    int code;
    bool killed;        /* by us: end and code say nothing about the submission */
    bool survived;      /* something of it lives on, though it was killed */
    bool out_of_memory; /* the kernel killed some of it for want of host memory */
};

/* Kills the process if it is still there, waits until it is gone, and says how it ended.
 * out may be NULL. */
void runner_link_stop(struct runner_link *l, struct runner_exit *out);

/* What the process has printed so far, RUNNER_OUTPUT_KEEP bytes at most. It may be any
 * bytes. */
const struct buf *runner_link_output(struct runner_link *l);

/* Stops the process first, if that was not done. */
void runner_link_free(struct runner_link *l);

#endif
