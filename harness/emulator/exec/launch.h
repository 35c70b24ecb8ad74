/*
 * A launch: its run and the workers that execute its blocks (launch.c).
 *
 * The run belongs to machine_launch() and is shared by all workers; what is written while
 * they run is atomic. A worker is one thread's: nobody else touches it before the thread
 * has been joined.
 */
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include "block.h"
#include "kernel.h"
#include "memory.h"

enum { HIT_SLOTS = 512, HOT_LINES = 1024 };

struct worker {
    struct machine *machine;
    struct run *run;
    struct allocation *hits[HIT_SLOTS]; /* by site: the allocation accessed last */
    struct tally *tallies;
    uint32_t tally_max;
    struct site_counts *sites;
    uint32_t site_max;
    uint64_t hot[HOT_LINES]; /* atomics by the line they are on, hashed; if has_hot */
    bool has_hot;
    struct counters counters; /* what is counted at no site */
    uint64_t insns_unflushed;
    uint32_t lut[8]; /* of the lop3 being executed */
    struct warp *free_warps;
    struct block *free_blocks;
    struct cluster *free_cluster; /* one that nobody uses; NULL: none */
    struct fault fault;
    uint64_t fault_block; /* UINT64_MAX: none */
    struct fault notices[NOTICES_MAX];
    uint32_t notice_count;
    char *asserted; /* what a failed assertion prints; NULL: none ever failed */
    size_t asserted_bytes;
    uint8_t *params;
};

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
    uint32_t reserved_offset; /* where the system's part does, RESERVED_SHARED bytes; of
                                 no meaning unless kernel->reserved_shared */
    uint32_t number;
    bool checks;
    _Atomic uint64_t next_block, insns_used, fault_block;
    uint64_t chunk;  /* blocks that a worker takes at a time */
    uint64_t budget; /* warp instructions */
};

/* Adds what the warp has executed to what the launch has used. -1: the budget is used up,
 * or the launch is interrupted, and the warp has its fault. */
int budget_check(struct warp *w, const struct insn *in);

/* Ends the threads that the machine keeps for its launches. */
void pool_free(struct machine *m);

#endif
