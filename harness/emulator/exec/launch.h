/*
 * A launch in progress (launch.c).
 *
 * The run belongs to machine_launch() and is shared by all workers. What they write in it
 * is atomic.
 */
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include "cost/delivery.h"
#include "worker.h"

/* One launch in progress. */
struct run {
    struct machine *machine;
    struct kernel *kernel;
    const struct launch *launch;
    uint64_t block_total;
    uint32_t cluster[3]; /* blocks of a cluster in each dimension; 1, 1, 1 */
    uint32_t threads_per_block, warps_per_block;
    uint32_t shared_bytes;    /* of a block, with the system's part */
    uint32_t dynamic_offset;  /* where dynamic shared memory begins */
    uint32_t reserved_offset; /* where the system's part begins, if the kernel has one
                                 (kernel->reserved_shared): RESERVED_SHARED bytes */
    uint32_t number;
    bool checks;
    bool serial;   /* blocks may talk to each other: one worker runs them */
    bool in_order; /* warps are held until their turn (order.h) */
    bool links_global, links_shared; /* what memory has tags (links.h) */
    uint32_t first_unit;             /* of its blocks' numbers in tags */
    uint32_t cluster_blocks;
    _Atomic uint64_t next_block, insns_used, fault_block;
    struct delivery delivery;
    uint64_t chunk;  /* blocks that a worker takes at a time */
    uint64_t budget; /* warp instructions */
};

#endif
