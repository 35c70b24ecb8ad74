/*
 * One runner, seen from the arbiter: a process in a sandbox and the socket to it
 * (runner/protocol.h). It is a program of ours, which loads what it shall call when it is
 * told to; from then on everything that comes back is untrusted: replies have one size,
 * are awaited with a deadline, and a packet out of turn is an event of its own. The
 * process's output is drained while we wait, so that a chatty program does not block in
 * write().
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
    bool one_queue; /* on a GPU: one queue between host and card for each context instead
                       of eight, which takes the driver half as long to make and to end.
                       Not for who may expect that streams do not wait for one another */
    uint64_t address_space_bytes; /* 0: no limit (a CUDA process reserves far more than it
                                     uses) */
    /* A folder of the system that it shall not see: NULL, or a path that is covered with
     * the empty folder `empty`. */
    const char *hidden, *empty;
};

enum runner_event {
    RUNNER_ANSWERED, /* the reply that was awaited */
    RUNNER_ENDED,    /* the process is gone: see runner_link_stop */
    RUNNER_LATE,     /* the limit has passed */
    RUNNER_STARVED,  /* the machine gave it so little CPU time that a limit in used time
                        (meter.h) was not reached long after it should: our failure */
    RUNNER_LIED,     /* something that a runner of ours never sends */
    RUNNER_FLOODED,  /* it printed more than RUNNER_OUTPUT_MAX */
};

#define RUNNER_OUTPUT_MAX ((size_t)4 << 20) /* bytes on stdout and stderr together */
#define RUNNER_MEMORY_GIB 8 /* of the host, where there are control groups */
#define RUNNER_OUTPUT_KEEP ((size_t)16 << 10)

/* Starts the process; does not wait for it. Closes device->gpu_socket either way. */
int runner_link_start(const struct runner_options *o, struct runner_link **out,
                      struct report *r);

/* Waits until the process is up, on a GPU with a context on each that it sees: else that
 * comes about at some time before its first answer. To be asked before anything is
 * loaded, so that -1, it does not come up, is our failure. */
int runner_link_wake(struct runner_link *l, struct report *r);

/* Makes it load the shared object at path (runner/guest.h), whose function it calls from
 * here on; does not wait for it. Where it cannot, the next reply that is awaited has the
 * status RUNNER_UNLOADABLE. -1: it could not be told so. */
int runner_link_load(struct runner_link *l, const char *path, struct report *r);

/* Starts nothing: takes a socket and a process that the caller made (tests). grace_ms:
 * how much time a process may use when its socket is closed, before that is a lie. */
struct runner_link *runner_link_adopt(int socket, const struct sandbox_process *process,
                                      uint64_t grace_ms);

/* Sends one request, with a descriptor if fd >= 0 (which stays the caller's). A runner
 * that is gone or does not read shows at the next wait. */
void runner_link_send(struct runner_link *l, const struct runner_request *request,
                      int fd);

/* See sandbox_freeze. A process that is stopped does not answer, but can be killed. */
int runner_link_freeze(struct runner_link *l, struct report *r);
void runner_link_thaw(struct runner_link *l);

/* How long a runner is waited for: by the wall clock, or by what it uses, whatever else
 * the machine does meanwhile (then the wall clock is a distant backstop). */
struct runner_limit {
    uint64_t wall_until_ns;
    bool is_used;           /* by what it uses: */
    uint64_t used_ns;       /* more than this */
    struct meter_use since; /* beyond this */
};

/* Both begin now. */
struct runner_limit runner_limit_wall(uint64_t ms);
struct runner_limit runner_limit_used(struct runner_link *l, uint64_t ms);

/* Waits for a reply of this op until the limit has passed. reply->text is terminated. */
enum runner_event runner_link_await(struct runner_link *l, enum runner_op op,
                                    const struct runner_limit *limit,
                                    struct runner_reply *reply);

/* The same, by the wall clock. */
enum runner_event runner_link_wait(struct runner_link *l, enum runner_op op,
                                   uint64_t timeout_ms, struct runner_reply *reply);

/* What it has used since it was started. */
struct meter_use runner_link_use(struct runner_link *l);

/* Of the emulated GPU that works for it (device_runner); NULL: there is none. */
struct work_count *runner_link_work(struct runner_link *l);

/* From now on neither side sleeps while it waits for the other, for up to ms each time: a
 * process that sleeps is woken late, and by how much varies. For a host that can do with
 * it (host.h). */
void runner_link_stay_awake(struct runner_link *l, uint32_t ms);

/* Its process, for who only wants to end it; -1: there is none any more. The link's. */
int runner_link_pidfd(const struct runner_link *l);

/* Does neither side sleep now? Then both have CPUs of their own, unless something else
 * has them: only then is a thread that loses its CPU a sign of that. */
bool runner_link_is_awake(const struct runner_link *l);

/* From now on the runner waits for its release on this CPU; < 0: on any. What runs there
 * already must be worth as much: a launch takes the host longer on one CPU than on
 * another. */
void runner_link_use_cpu(struct runner_link *l, int cpu);

/* Has something arrived that nobody asked for? To be asked before a RELEASE: an early
 * DONE is a lie. */
bool runner_link_spoke(struct runner_link *l);

/* Kills what is still there and does not wait until it is gone, which takes the driver
 * 50 ms where there is a context: so that several can go at once, or something else is
 * done meanwhile. runner_link_stop waits. l may be NULL. */
void runner_link_kill(struct runner_link *l);

/* How it ended. Kills what is still there, and nothing of it is there any more. */
struct runner_exit {
    enum sandbox_end end;
    int code;
    bool killed;        /* by us: end and code say nothing about the program */
    bool survived;      /* and yet something of it lives on */
    bool out_of_memory; /* the kernel killed some of it for the host's memory */
};
void runner_link_stop(struct runner_link *l, struct runner_exit *out);

/* What it printed so far (at most RUNNER_OUTPUT_KEEP bytes), any bytes. */
const struct buf *runner_link_output(struct runner_link *l);

/* Stops it where that was not done. */
void runner_link_free(struct runner_link *l);

#endif
