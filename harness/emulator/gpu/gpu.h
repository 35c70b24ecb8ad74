/*
 * The owner's side of an emulated GPU process. The owner is the arbiter or `warpjudge
 * emu`, which has the rights that root has over a GPU. It starts the process itself
 * (program warpjudge-gpu, control socket at descriptor 3), so that it can sandbox it.
 * The clients' side is runtime/, and protocol.h has the wire format.
 *
 * All calls are synchronous requests over the control socket. They return 0, or -1 if
 * the process is gone or answers nonsense. That is our failure, or a hostile client has
 * crashed the process. The owner then starts a new one. They return GPU_NO_MEMORY if the
 * process has used up the memory that its sandbox allows it.
 */
#ifndef EMULATOR_GPU_H
#define EMULATOR_GPU_H

#include "../emulator.h"
#include "../work.h"

#include <stdbool.h>
#include <stdint.h>

#define GPU_NO_MEMORY (-2)

struct gpu;

struct gpu_options {
    uint64_t memory_bytes; /* of each device */
    int devices;           /* number of devices that clients see; 0: 1 */
    int threads;
    bool checks;
    uint64_t instruction_budget; /* instructions for each launch */
};

/* Takes the control socket's ownership. The first message configures the machine. */
struct gpu *gpu_connect(int control_fd, const struct gpu_options *options);
void gpu_close(struct gpu *g); /* the process exits when its control socket closes */

/* Makes a client socket for a submission's process. The caller owns the returned
 * descriptor (-1: failure). Allocations, modules and the sticky error belong to the
 * client. */
int gpu_new_client(struct gpu *g, uint32_t *client);

/* The same for a stream socket that a client is already connected to. The caller still
 * owns fd. */
int gpu_add_client(struct gpu *g, int fd, uint32_t *client);

/* Frees everything of a client and closes its socket. A launch of it is interrupted. */
int gpu_drop_client(struct gpu *g, uint32_t client);

/* Makes a whole memfd of size bytes, a multiple of the page size, memory of a device.
 * The owner keeps its own mapping, through which it reads and writes the device memory.
 * initialized: see memory_import. */
int gpu_import(struct gpu *g, int memfd, uint64_t bytes, int device, bool initialized,
               uint64_t *address);
int gpu_release(struct gpu *g, uint64_t address);
int gpu_mark(struct gpu *g, uint64_t address, uint64_t bytes, bool initialized);

/* Names imported memory for the texts of faults and notices: an array of elements of so
 * many bytes. Of a long name the beginning counts. */
int gpu_name(struct gpu *g, uint64_t address, const char *name, uint32_t element_bytes);

/* Waits until the client's launches have ended on all devices, then returns the
 * machine's counters. */
int gpu_counters(struct gpu *g, uint32_t client, struct counters *out);

/* Waits as gpu_counters does. Then it returns the costs of the index-th costliest kernel
 * since the last reset, with its lines from the place first_line on. advice.h puts them
 * into words. Returns 1 where they are in *out, and 0 where there are no more kernels. */
int gpu_cost(struct gpu *g, uint32_t client, uint32_t index, uint32_t first_line,
             struct kernel_cost *out);
int gpu_costs_reset(struct gpu *g);

/* The client's first fault and its sticky error, an error code of the runtime API. The
 * kind is FAULT_NONE if there was no fault; FAULT_UNINITIALIZED means a read that ended
 * nothing. */
int gpu_fault(struct gpu *g, uint32_t client, struct fault *out);

/* The index-th notice (fault_is_notice) of all the client's launches. There is one for
 * each kind and place, and at most CLIENT_NOTICES_MAX. 1: it is in out; 0: there are no
 * more. */
int gpu_notice(struct gpu *g, uint32_t client, uint32_t index, struct fault *out);

/* Stops a launch that is running; the launch's fault says where it was. The call
 * returns at once, and another thread may make it while a call waits. */
int gpu_interrupt(struct gpu *g);

/* What clients have had done, and the limit of it, which the owner sets. Above the
 * limit no launches and copies are done any more (FAULT_BUDGET). The page is shared
 * with the process, so it can be read while a kernel runs. It belongs to g. */
struct work_count *gpu_work(struct gpu *g);

/* Tells what ptxas made of a client's program: fd is the file of compile/assembly.h, and
 * stays the caller's. It counts from the next launch. */
int gpu_assembly(struct gpu *g, int fd);

/* Turns checks (uninitialised reads, races) on or off for later launches. */
int gpu_set_checks(struct gpu *g, bool checks);

#endif
