/*
 * How much an emulated GPU has done, as a count that is the same on every machine: warp
 * instructions, and for everything else what it counts as. The owner of an emulated GPU
 * limits it, and reads it while a kernel runs: the structure then lies in a page that
 * both processes have mapped (gpu/owner.c).
 *
 * WORK_PER_MS turns the count into time. With checks on the emulator executes 7,000
 * to 170,000 warp instructions in a millisecond of a CPU's time, most kernels 20,000 to
 * 80,000 (docs/timing.md).
 */
#ifndef EMULATOR_WORK_H
#define EMULATOR_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WORK_PER_MS UINT64_C(40000)
#define WORK_REQUEST 40 /* a client's request: a microsecond */
#define WORK_BYTES 64   /* bytes of a copy or a memset that count as one instruction */
#define WORK_PTX_BYTE 2 /* a byte of PTX that is loaded */

struct work_count {
    _Atomic uint64_t used;  /* since the machine was made */
    _Atomic uint64_t limit; /* of used: what would exceed it is refused; 0: none */
};

/* Adds to what was done. Is that more than the limit? */
static inline bool
work_add(struct work_count *w, uint64_t more)
{
    const uint64_t limit = atomic_load_explicit(&w->limit, memory_order_relaxed);
    const uint64_t used =
        atomic_fetch_add_explicit(&w->used, more, memory_order_relaxed) + more;

    return limit != 0 && used > limit;
}

#endif
