/*
 * One call without an arbiter, for NVIDIA's profiler and its checker: `warpjudge-runner
 * alone FOLDER`. The process allocates its memory itself. It has no socket, so nothing
 * of a judgement is in its reach. The folder holds
 *
 *     call         a struct alone_call
 *     0, 1, ...    what each buffer holds before the call, where it is filled
 *     submission   the shared object with solve() (guest.h)
 */
#ifndef RUNNER_ALONE_H
#define RUNNER_ALONE_H

#include "runner/protocol.h"

#include <stdint.h>

#define ALONE_SLOTS_MAX 64
#define ALONE_FAILED 9 /* exit status: the call was not made; why is on stderr */

struct alone_slot {
    uint64_t bytes;
    uint32_t pinned; /* 1: in the host's memory, which the GPU can read */
    uint32_t filled; /* 0: it has no file, and is left as the driver gives it */
};

struct alone_call {
    uint32_t slot_count, arg_count;
    struct alone_slot slot[ALONE_SLOTS_MAX];
    struct runner_arg arg[RUNNER_ARGS_MAX];
};

/* Makes the call that the folder describes. Returns the exit status: 0, ALONE_FAILED, or
 * 1 if the runtime reports an error of the call. */
int alone_run(const char *folder);

#endif
