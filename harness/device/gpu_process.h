/*
 * Starts the emulated GPU's process, warpjudge-gpu, in a sandbox, because it reads what
 * strangers' programs send. emulator/gpu/gpu.h has the requests of its owner.
 */
#ifndef DEVICE_GPU_PROCESS_H
#define DEVICE_GPU_PROCESS_H

#include "base/buf.h"
#include "base/report.h"
#include "sandbox/sandbox.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_process {
    struct sandbox_process sandbox;
    bool ended;         /* it has been waited for */
    bool out_of_memory; /* once it has ended: it used up its memory_bytes */
};

/* How much of this machine's memory the process may have for a submission, in bytes. All
 * that it holds for its clients is in it: device memory, the records of written bytes and
 * of accesses, and parsed PTX. Buffers that the arbiter shares with it are not. */
uint64_t gpu_process_memory(void);

/* Starts program (the path of warpjudge-gpu), in a sandbox unless `insecure`. *control
 * is our end of its control socket, for gpu_connect. The process dies with the calling
 * thread. memory_bytes is what it may have; 0 means no limit. */
int gpu_process_start(struct gpu_process *p, const char *program, bool insecure,
                      uint64_t memory_bytes, int *control, struct report *r);

/* Makes sure that the process is dead. out (may be NULL) gets what it printed. A second
 * call does nothing. */
void gpu_process_end(struct gpu_process *p, struct buf *out);

#endif
