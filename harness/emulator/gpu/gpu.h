/*
 * The owner's side of an emulated GPU process (the arbiter's, or `warpjudge emu`'s): it
 * is to the emulated GPU what root is to a card. Starting the process is the caller's
 * business (program warpjudge-gpu, control socket at its descriptor 3), so that it can be
 * sandboxed. The clients' side is runtime/, the wire format protocol.h.
 *
 * All calls are synchronous requests over the control socket. They return 0, or -1 when
 * the process is gone or answers nonsense (which is our failure, or a hostile client's
 * success in crashing it: the owner starts a new one).
 */
#ifndef EMULATOR_GPU_H
#define EMULATOR_GPU_H

#include "../emulator.h"
#include "../work.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu;

struct gpu_options {
    uint64_t memory_bytes; /* of each device */
    int devices;           /* that clients see; 0: 1 */
    int threads;
    bool checks;
    uint64_t instruction_budget; /* per launch */
};

/* Takes the control socket's ownership; the first message configures the machine. */
struct gpu *gpu_connect(int control_fd, const struct gpu_options *options);
void gpu_close(struct gpu *g); /* the process exits when its control socket closes */

/* A new client socket for a submission's process; the caller owns the returned descriptor
 * (-1: failure). Allocations, modules and the sticky error belong to the client. */
int gpu_new_client(struct gpu *g, uint32_t *client);

/* The same for a stream socket that the caller has already connected to a client's end;
 * the caller still owns fd. */
int gpu_add_client(struct gpu *g, int fd, uint32_t *client);

/* Frees everything of a client and closes its socket. A launch in progress is
 * interrupted. */
int gpu_drop_client(struct gpu *g, uint32_t client);

/* Lets a memfd (whole, size bytes, page multiple) appear as memory of a device; the owner
 * keeps its own mapping and so reads and writes device memory directly. initialized: see
 * memory_import. */
int gpu_import(struct gpu *g, int memfd, uint64_t bytes, int device, bool initialized,
               uint64_t *address);
int gpu_release(struct gpu *g, uint64_t address);
int gpu_mark(struct gpu *g, uint64_t address, uint64_t bytes, bool initialized);

/* Waits until the client's launches have ended, on all devices, then the machine's
 * counters. */
int gpu_counters(struct gpu *g, uint32_t client, struct counters *out);

/* Waits as gpu_counters does, then tells what the index-th costliest kernel of the
 * machine has cost since the last reset. 1: out says it; 0: there are no more. advice.h
 * puts it into words. */
int gpu_cost(struct gpu *g, uint32_t client, uint32_t index, struct kernel_cost *out);
int gpu_costs_reset(struct gpu *g);

/* The client's first fault (kind FAULT_NONE if there was none; FAULT_UNINITIALIZED tells
 * of a read that ended nothing), and the runtime API error it holds as its sticky error.
 */
int gpu_fault(struct gpu *g, uint32_t client, struct fault *out);

/* The client's notices (fault_is_notice) of all its launches, one for each kind and
 * place, the first CLIENT_NOTICES_MAX. 1: out says the index-th; 0: there are no more. */
int gpu_notice(struct gpu *g, uint32_t client, uint32_t index, struct fault *out);

/* Stops a launch in progress; returns at once, and may be called from another thread
 * while a call waits. The fault it leaves says where it was. */
int gpu_interrupt(struct gpu *g);

/* What clients have had done, and the limit of it, which is the owner's to set: once it
 * is exceeded nobody's launches and copies are done any more (FAULT_BUDGET). In memory
 * that both share, so that it can be read while a kernel runs. The GPU's. */
struct work_count *gpu_work(struct gpu *g);

/* Turns diagnostics (uninitialised reads, races) on or off for later launches. */
int gpu_set_checks(struct gpu *g, bool checks);

#endif
