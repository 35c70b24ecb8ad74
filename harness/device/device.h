/*
 * Memory and clock of a judgement, owned by the arbiter. One interface, three kinds:
 *
 * - cuda: a GPU, through libcuda opened with dlopen. Buffers are cuMemCreate allocations
 *   that are handed to runners as file descriptors; fill and compare are kernels of ours.
 * - emu: an emulated GPU process that the arbiter started. Buffers are memfds, mapped
 *   here and imported there, so that fill and compare are plain C on the host.
 * - host: no device. Buffers are memfds, for references written in C.
 *
 * Buffers are either shareable (a runner will see them) or private to the arbiter. A
 * private buffer is never visible to any other process. Byte counts are the buffer's
 * logical size; allocations are rounded up and what lies beyond the logical size is
 * poisoned by device_poison too, so that emu and guards can tell out-of-bounds.
 *
 * A device has one GPU or two. Of two on a machine with GPUs the second is a card of its
 * own, the partner, whose buffers come from device_alloc_on; each buffer is copied to,
 * and compared with, others of its card only. On emu they are one machine.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "core/compare.h"
#include "core/gen.h"
#include "core/report.h"
#include "device/rates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct sandbox_process;
struct work_count;
struct device_buffer;

struct device_info {
    char board[128]; /* kind of device whose times rank together: "emu", "NVIDIA H200" */
    char name[128];  /* what a person reads: "NVIDIA H200 (cuda:0)" */
    char arch[32];   /* what nvcc is asked for: "compute_80", "sm_90a" */
    char driver[32]; /* "" on emu */
    uint64_t memory_bytes;
    int runner_memory; /* enum runner_memory (runner/protocol.h) of this kind */
};

struct device_options {
    const char *gpu_program; /* emu: path of warpjudge-gpu */
    bool checks;             /* emu: diagnostics on */
    bool insecure;
    bool strangers; /* host: programs that nobody trusts get its shareable buffers */
    uint64_t instruction_budget; /* emu: per launch */
    uint64_t memory_limit;       /* of each GPU */
    int gpus;            /* that the judgement needs, 0: 1; at most DEVICE_GPUS_MAX */
    const char *partner; /* cuda, two GPUs: the second's name, "cuda:1"; else unused */
};

#define DEVICE_GPUS_MAX 2

/* name: "emu", "cuda:N" or "host". */
struct device *device_open(const char *name, const struct device_options *o,
                           struct report *r);
void device_close(struct device *d); /* frees its buffers too */
void device_info(const struct device *d, struct device_info *out);

/* Every device of this machine, "emu" last. Opens nothing that stays open. -1 never
 * happens for want of a GPU. */
int device_list(struct device_info *out, int max, char names[][16]);

int device_alloc(struct device *d, uint64_t bytes, bool shareable,
                 struct device_buffer **out, struct report *r);
/* The same in host memory: pinned, where the device is a GPU. In every call below, `d` is
 * the device that it was asked of. */
int device_alloc_host(struct device *d, uint64_t bytes, bool shareable,
                      struct device_buffer **out, struct report *r);
/* The same in the memory of one of several GPUs, from 0 on. The kind "host" has none, and
 * its memory serves for all. */
int device_alloc_on(struct device *d, int gpu, uint64_t bytes, bool shareable,
                    struct device_buffer **out, struct report *r);
void device_free(struct device *d, struct device_buffer *b);

/* How much memory of the device could not be had, the last time that happened, and of
 * which of its GPUs; 0: it never did. Whoever then asks for as much again without the
 * submission's process knows whose fault it was. */
uint64_t device_refused(const struct device *d, int *gpu);
uint64_t device_buffer_bytes(const struct device_buffer *b);

int device_fill(struct device *d, struct device_buffer *b, const struct gen *g,
                uint64_t seed, uint64_t count, struct report *r);
int device_poison(struct device *d, struct device_buffer *b, uint64_t seed,
                  struct report *r);
int device_zero(struct device *d, struct device_buffer *b, struct report *r);
/* Both of the same size. */
int device_copy(struct device *d, struct device_buffer *to,
                const struct device_buffer *from, struct report *r);
int device_read(struct device *d, const struct device_buffer *b, uint64_t offset,
                uint64_t bytes, void *host, struct report *r);
int device_write(struct device *d, struct device_buffer *b, uint64_t offset,
                 uint64_t bytes, const void *host, struct report *r);

/* Can a buffer of one be copied to, or compared with, the same parameter's buffer of the
 * other? Yes for a device and itself, and for any two whose buffers are host memory (emu,
 * host). */
bool device_shares_memory(const struct device *a, const struct device *b);

/* Does a copy of ours, queued while the card turns to a runner's work, wait for the end
 * of that work without our waiting for it? So it is on a GPU, which takes contexts in the
 * order in which they came with work. */
bool device_copies_behind(const struct device *d);

/* device_copy, but queued: the bytes are there when device_wait has returned. Only where
 * device_copies_behind says so. *ns, unless NULL, is what the copies queued since the
 * last wait took, from the first one's begin to the last one's end, by the card's own
 * clock. */
int device_copy_queue(struct device *d, struct device_buffer *to,
                      const struct device_buffer *from, struct report *r);
int device_wait(struct device *d, double *ns, struct report *r);

/* The card, kept. From device_queue to device_hold what is asked of the device (fills,
 * poison, zeros, copies and a flush) is not waited for but queued, so that each GPU does
 * all of it without a gap in which it could turn to what others have launched; at its end
 * it is held, so that it has nothing of others to do still. device_hold returns when it
 * has come to that, and everything before it is done. The hold ends `ns` after
 * device_let_go, or after 20 ms in which nobody let go. Nothing of all this where the
 * clock is no GPU's: there what is asked for is done at once. */
int device_queue(struct device *d, struct report *r);
int device_hold(struct device *d, double ns, struct report *r);
int device_let_go(struct device *d, struct report *r);

/* Both buffers on this device, and the same GPU of it, or on one that shares memory with
 * it, both private or idle. The same holds for device_copy. */
int device_compare(struct device *d, const struct device_buffer *got,
                   const struct device_buffer *want, uint64_t count,
                   const struct compare_rule *rule, struct compare_result *out,
                   struct report *r);

/* NULL, or host memory through which the whole buffer can be read without a copy (emu and
 * host). Belongs to the buffer. */
const void *device_view(const struct device_buffer *b);

/* The bytes behind the last, up to the end of its page: whoever has the buffer mapped can
 * write them, too. *bytes is 0 where there are none, or there is no view. */
void *device_slack(const struct device_buffer *b, size_t *bytes);

/* Makes caches cold (the L2 of each GPU; nothing on emu, whose model starts cold). */
int device_flush(struct device *d, struct report *r);

/* What the device can do at most; of two GPUs, what the first can, which is of the
 * partner's kind. On a GPU measured by kernels of ours, in some 30 ms, with memory that
 * is given back; nobody else may be using it. 1: *out is filled; 0: this kind of device
 * has no such figures; -1: it could not be measured. */
int device_rates(struct device *d, struct device_rates *out, struct report *r);

/* Bytes that anybody has sent over the device's bus, in both directions, since the first
 * question; < 0: not known. Takes up to half a millisecond. */
double device_bus_bytes(struct device *d);

/* How much of each GPU's memory nobody holds: out is one element a GPU, zeros where there
 * is none. Nothing is done on the GPU, which may be busy. */
struct device_memory {
    uint64_t free_bytes; /* of the card; 0: not known, or another kind of device */
    uint64_t own_bytes;  /* in our buffers */
};
int device_memory(struct device *d, struct device_memory out[DEVICE_GPUS_MAX],
                  struct report *r);

/* Does the device still do what it is told? On each GPU a little work of ours is done and
 * checked; then as device_memory. -1: it is of no use any more, to anybody. */
int device_health(struct device *d, struct device_memory out[DEVICE_GPUS_MAX],
                  struct report *r);

/* own_bytes without a question to the driver, and of the first GPU only. */
uint64_t device_own_bytes(const struct device *d);

/* What a runner needs to map a shareable buffer: a descriptor the caller closes (-1 for
 * emu), the address (emu), the mapped size. */
struct device_share {
    int fd;
    int memory; /* enum runner_memory */
    int gpu;    /* whose memory it is, as the runner numbers them */
    uint64_t address, bytes;
};
int device_share(struct device *d, struct device_buffer *b, struct device_share *out,
                 struct report *r);

/* How a runner reaches this device. The strings belong to the device. */
struct device_runner {
    int gpu_socket;     /* emu: a new client's socket, to inherit as RUNNER_GPU_FD; the
                           caller closes it. -1 elsewhere */
    const char *env[2]; /* NAME=VALUE, NULL-terminated: which card the runner sees as its
                           ordinal 0, and which as 1 (cuda) */
    const char *const *gpu; /* NULL: no GPU; else the cards' device nodes,
                               NULL-terminated */
    /* emu: the process that does the runner's work, and how much that is
     * (emulator/work.h), with a limit that may be set. Both stay the device's. Else NULL.
     */
    struct sandbox_process *gpu_process;
    struct work_count *work;
};

/* On emu the new client replaces the one before, whose allocations and fault are dropped.
 */
int device_runner(struct device *d, struct device_runner *out, struct report *r);

/* cuda: this process (its pidfd; -1: none any more) is ended where the card keeps us
 * waiting for longer than limit_ms, which is the same in all calls. Then the call that
 * waited fails, and device_fault says FAULT_INTERRUPTED; those after it do not. Where
 * that does not help within limit_ms more, our own process ends. */
int device_set_keeper(struct device *d, int pidfd, uint64_t limit_ms, struct report *r);

/* emu: what the emulated GPU saw go wrong with the current client. 1: out says what; 0:
 * nothing, or not emu (but see device_set_keeper); -1: the emulated GPU is gone (our
 * failure). Where the client's launches kept it from answering us, it has been killed,
 * every other call fails, and this one says FAULT_INTERRUPTED. */
struct fault;
int device_fault(struct device *d, struct fault *out, struct report *r);

/* What the emulated GPU noticed of the latest runner though it ended nothing, from index
 * 0 on: gpu_notice(). 1: out has it; 0: there are no more, or this is no emulated GPU. */
int device_notice(struct device *d, uint32_t index, struct fault *out, struct report *r);

/* emu: the machine's counters once the current client's launches have ended. 1, 0 and -1
 * as above. */
struct counters;
int device_counters(struct device *d, struct counters *out, struct report *r);

/* emu: what the index-th costliest kernel of the current client has cost since the last
 * reset. 1; 0: there are no more, or not emu; -1 as above. */
struct kernel_cost;
int device_cost(struct device *d, uint32_t index, struct kernel_cost *out,
                struct report *r);
int device_costs_reset(struct device *d, struct report *r);

/* emu: stop a launch that goes on and on. */
int device_interrupt(struct device *d, struct report *r);

/* emu: diagnostics on or off. */
int device_set_checks(struct device *d, bool checks, struct report *r);

/* The clock. begin before the release, end after the arbiter's copy of the outputs has
 * completed. On cuda and host wall nanoseconds of CLOCK_MONOTONIC_RAW, on emu the
 * modelled time of what the client's launches and copies did in between. */
int device_clock_begin(struct device *d, struct report *r);
int device_clock_lap(struct device *d, double *ns, struct report *r); /* it runs on */
int device_clock_end(struct device *d, double *ns, struct report *r);
bool device_clock_modelled(const struct device *d);

#endif
