/*
 * The memory and the clock of a judgement, which the arbiter owns. There are three
 * kinds:
 *
 *    - cuda: a GPU, through libcuda, which is opened with dlopen. Buffers are cuMemCreate
 *      allocations that runners get as descriptors. Kernels of ours fill and compare.
 *    - emu: an emulated GPU process that the arbiter started. Buffers are memfds, mapped
 *      here and imported there, so fill and compare are plain C on the host.
 *    - host: no device. Buffers are memfds, for references written in C.
 *
 * A buffer is either shareable (a runner will see it) or private to the arbiter. No
 * other process ever sees a private buffer. A byte count is the buffer's logical size.
 * The allocation is rounded up, and device_poison also poisons what lies after the
 * logical size. That is how emu and guards notice accesses out
 * of bounds.
 *
 * A device has one GPU or two. On a machine with GPUs the second of two is a device of
 * its own, the partner, whose buffers come from device_alloc_on. A buffer is copied to,
 * and compared with, only buffers of the same GPU. On emu both GPUs are one machine.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "base/report.h"
#include "device/rates.h"
#include "numbers/compare.h"
#include "numbers/gen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct sandbox_process;
struct work_count;
struct device_buffer;

struct device_info {
    char board[128];  /* kind of device within which times rank: "emu", "NVIDIA H200" */
    char name[128];   /* for people: "NVIDIA H200 (cuda:0)" */
    char arch[32];    /* the architecture for nvcc: "compute_80", "sm_90a" */
    char driver[32];  /* "" on emu */
    char models[128]; /* emu: the GPU that the modelled times are of, for people */
    uint64_t memory_bytes;
    int runner_memory; /* the enum runner_memory (runner/protocol.h) of this kind */
};

struct device_options {
    const char *gpu_program; /* emu: path of warpjudge-gpu */
    bool checks;             /* emu: checks are on */
    bool insecure;
    bool strangers;              /* host: untrusted programs get its shareable buffers */
    uint64_t instruction_budget; /* emu: instructions for each launch */
    uint64_t memory_limit;       /* for each GPU */
    int gpus;            /* how many the judgement needs; 0: 1; at most DEVICE_GPUS_MAX */
    const char *partner; /* cuda with two GPUs: the second one's name ("cuda:1") */
};

#define DEVICE_GPUS_MAX 2

/* Opens the device with this name: "emu", "cuda:N" or "host". device_close frees it. */
struct device *device_open(const char *name, const struct device_options *o,
                           struct report *r);
void device_close(struct device *d); /* frees its buffers too */

/* Makes of a device that was used what device_open has given: it frees the buffers, and
 * forgets the keeper and whatever was refused. What is allocated from then on is zero,
 * because the memory may be that of a buffer which was freed. Returns false where that
 * cannot be: the device is to be closed then. That is so of emu, whose process has run a
 * submission's code, of host, of two GPUs, and of a GPU that a process has kept. */
bool device_reset(struct device *d);
void device_info(const struct device *d, struct device_info *out);

/* Lists the devices of this machine, "emu" last, and returns how many there are.
 * Nothing stays open. A machine without a GPU or a driver has only "emu", which is no
 * error. */
int device_list(struct device_info *out, int max, char names[][16]);

int device_alloc(struct device *d, uint64_t bytes, bool shareable,
                 struct device_buffer **out, struct report *r);
/* The same in host memory, which is pinned if the device is a GPU. In all calls below,
 * d is the device from which the buffer came. */
int device_alloc_host(struct device *d, uint64_t bytes, bool shareable,
                      struct device_buffer **out, struct report *r);
/* The same in the memory of one of several GPUs, numbered from 0. The kind "host" has
 * no GPUs, so its memory serves for all. */
int device_alloc_on(struct device *d, int gpu, uint64_t bytes, bool shareable,
                    struct device_buffer **out, struct report *r);
void device_free(struct device *d, struct device_buffer *b);

/* Makes the buffer one of another size, if it has just the memory that a new buffer would
 * get, and says whether. A runner that has it mapped need not map it again. What it held
 * stays. */
bool device_resize(struct device_buffer *b, uint64_t bytes);

/* Says what a buffer is called in what an emulated GPU tells, and of how many bytes its
 * elements are. It is called before device_share. Other devices tell nothing. The name is
 * the caller's, and stays while the buffer is there. */
void device_name_buffer(struct device_buffer *b, const char *name,
                        uint32_t element_bytes);

/* How much memory could not be allocated when that last happened (0: it never did), and
 * on which GPU. A caller that gets as much after the submission's process is gone knows
 * that the submission had taken it. */
uint64_t device_refused(const struct device *d, int *gpu);

/* The submission is about to be loaded: what was refused before was not its doing. */
void device_forget_refused(struct device *d);
uint64_t device_buffer_bytes(const struct device_buffer *b);

int device_fill(struct device *d, struct device_buffer *b, const struct gen *g,
                uint64_t seed, uint64_t count, struct report *r);
int device_poison(struct device *d, struct device_buffer *b, uint64_t seed,
                  struct report *r);
int device_zero(struct device *d, struct device_buffer *b, struct report *r);
/* Copies a buffer to another of the same size. */
int device_copy(struct device *d, struct device_buffer *to,
                const struct device_buffer *from, struct report *r);
int device_read(struct device *d, const struct device_buffer *b, uint64_t offset,
                uint64_t bytes, void *host, struct report *r);
int device_write(struct device *d, struct device_buffer *b, uint64_t offset,
                 uint64_t bytes, const void *host, struct report *r);

/* Can a buffer of one device be copied to, or compared with, a buffer of the other? Yes
 * for a device and itself, and for two devices whose buffers are host memory (emu,
 * host). */
bool device_shares_memory(const struct device *a, const struct device *b);

/* Is a copy that we queue while the GPU turns to a runner's work made after that work,
 * without our waiting for it? On a GPU yes: it takes contexts in the order in which
 * work came to them. */
bool device_copies_behind(const struct device *d);

/* Queues a copy; the bytes are there when device_wait has returned. The device must
 * have device_copies_behind. device_wait sets *ns, unless ns is NULL, to the time of
 * the copies since the last wait. That is from the first one's begin to the last one's
 * end, by the GPU's clock. */
int device_copy_queue(struct device *d, struct device_buffer *to,
                      const struct device_buffer *from, struct report *r);
int device_wait(struct device *d, double *ns, struct report *r);

/* These keep the GPU busy without a gap, so that it cannot turn to other processes'
 * work.
 *
 * From device_queue to device_hold, all that is asked of the device is queued: fills,
 * poison, zeros, copies and a flush. Then each GPU does it and is held. device_hold
 * returns when the GPU is held and all work before is done.
 *
 * The hold ends `ns` after device_let_go, or after 20 ms without device_let_go. On
 * devices whose clock is not a GPU's, each call does its work at once and nothing is
 * held. */
int device_queue(struct device *d, struct report *r);
int device_hold(struct device *d, double ns, struct report *r);
int device_let_go(struct device *d, struct report *r);

/* Compares two buffers on the same GPU of this device, or on a device that shares
 * memory with it. Both must be private or idle. The same holds for device_copy. */
int device_compare(struct device *d, const struct device_buffer *got,
                   const struct device_buffer *want, uint64_t count,
                   const struct compare_rule *rule, struct compare_result *out,
                   struct report *r);

/* Host memory through which the whole buffer can be read without a copy (emu and host),
 * or NULL. It belongs to the buffer. */
const void *device_view(const struct device_buffer *b);

/* The bytes from the buffer's end to the end of its page. A process that has mapped the
 * buffer can write them too. *bytes is 0 if there are none or the buffer has no view. */
void *device_slack(const struct device_buffer *b, size_t *bytes);

/* Empties the caches: the L2 of each GPU. On emu it does nothing, since its model
 * starts with empty caches. */
int device_flush(struct device *d, struct report *r);

/* What the device can do at most; for two GPUs, what the first can, since the partner
 * is of the same kind. On a GPU, kernels of ours measure it in some 30 ms. Half of that
 * is enough if it is awake: it has worked until a moment ago, so that its clocks are up.
 * The kernels need memory, which is freed again, and nobody else may use the GPU.
 *
 * 1: *out is filled; 0: this kind of device has no rates; -1: they could not be
 * measured. */
int device_rates(struct device *d, bool awake, struct device_rates *out,
                 struct report *r);

/* Bytes that went over the device's bus, in both directions and for any process, since
 * the first call. Negative: not known. The call takes up to half a millisecond. */
double device_bus_bytes(struct device *d);

/* How much memory of each GPU is free. out has an element for each GPU; those of absent
 * GPUs are zero. The call gives no work to the GPU, which may be busy. */
struct device_memory {
    uint64_t free_bytes; /* of the GPU; 0: not known, or the device is no GPU */
    uint64_t own_bytes;  /* in our own buffers */
};
int device_memory(struct device *d, struct device_memory out[DEVICE_GPUS_MAX],
                  struct report *r);

/* Does the device still work? A little work of ours is done on each GPU and checked,
 * and then out is filled as by device_memory. Returns 0, or -1 if the device is of no
 * use any more. */
int device_health(struct device *d, struct device_memory out[DEVICE_GPUS_MAX],
                  struct report *r);

/* own_bytes of the first GPU, without asking the driver. */
uint64_t device_own_bytes(const struct device *d);

/* What a runner needs to map a shareable buffer. The caller closes fd, which is -1 on
 * emu. Only emu has an address. bytes is the mapped size. */
struct device_share {
    int fd;
    int memory; /* enum runner_memory */
    int gpu;    /* the GPU whose memory it is, as the runner numbers them */
    uint64_t address, bytes;
};
int device_share(struct device *d, struct device_buffer *b, struct device_share *out,
                 struct report *r);

/* How a runner reaches this device. The device owns the strings. */
struct device_runner {
    int gpu_socket;     /* emu: a new client's socket, which the runner inherits as
                           RUNNER_GPU_FD and the caller closes; otherwise -1 */
    const char *env[2]; /* cuda: NAME=VALUE, NULL-terminated; says which GPUs the runner
                           sees as its ordinals 0 and 1 */
    const char *const
        *gpu; /* NULL: no GPU; else the GPUs' device nodes, NULL-terminated */
    /* emu: the process that does the runner's work, and a count of that work
     * (emulator/work.h) with a limit that may be set. The device owns both. Otherwise
     * NULL.
     */
    struct sandbox_process *gpu_process;
    struct work_count *work;
};

/* Fills out for a new runner. On emu its client replaces the one before, whose
 * allocations and fault are dropped. */
int device_runner(struct device *d, struct device_runner *out, struct report *r);

/* cuda: from now on ends the process `pidfd` if the GPU keeps us waiting for more than
 * limit_ms, which must be the same in all calls. A pidfd of -1 stops that. When a process
 * was ended, the call that waited fails, and device_fault returns FAULT_INTERRUPTED.
 * Later calls do not fail. If its end does not help within limit_ms more, our own process
 * ends. */
int device_set_keeper(struct device *d, int pidfd, uint64_t limit_ms, struct report *r);

/* emu: finds the fault of the current client. Returns 1 if it is in out. 0: there is
 * none, or the device is not emu (but see device_set_keeper). -1: the emulated GPU is
 * gone, which is our failure.
 *
 * If the client's launches kept the emulated GPU from answering, we have killed it. Then
 * every other call fails, and this one returns FAULT_INTERRUPTED. */
struct fault;
int device_fault(struct device *d, struct fault *out, struct report *r);

/* The index-th notice of the latest runner, from 0: see gpu_notice(). 1: it is in out;
 * 0: there are no more, or this is no emulated GPU. */
int device_notice(struct device *d, uint32_t index, struct fault *out, struct report *r);

/* emu: the machine's counters when the current client's launches have ended. Returns 1,
 * 0 or -1 as device_fault does. */
struct counters;
int device_counters(struct device *d, struct counters *out, struct report *r);

/* emu: finds the costs of the current client's index-th costliest kernel since the last
 * reset, with its COST_LINES lines from the place first_line on. Returns 1 if they are in
 * out. 0: there are no more, or the device is not emu. Returns -1 as device_fault does.
 */
struct kernel_cost;
int device_cost(struct device *d, uint32_t index, uint32_t first_line,
                struct kernel_cost *out, struct report *r);
int device_costs_reset(struct device *d, struct report *r);

/* emu: stops a launch that does not end. */
int device_interrupt(struct device *d, struct report *r);

/* emu: turns checks on or off. */
int device_set_checks(struct device *d, bool checks, struct report *r);

/* emu: tells what ptxas made of the submission, which is in the file at path
 * (compile/assembly.h). It counts from the next launch. */
int device_set_assembly(struct device *d, const char *path, struct report *r);

/* The clock. Begin it before the release, and end it when the arbiter's copy of the
 * outputs is complete. On cuda and host it counts wall nanoseconds of
 * CLOCK_MONOTONIC_RAW. On emu it counts the modelled time of the client's launches and
 * copies in between. */
int device_clock_begin(struct device *d, struct report *r);
/* Begins it where it was ended last, and not now. */
void device_clock_resume(struct device *d);
/* Reads the clock, which runs on. */
int device_clock_lap(struct device *d, double *ns, struct report *r);
int device_clock_end(struct device *d, double *ns, struct report *r);
bool device_clock_modelled(const struct device *d);

#endif
