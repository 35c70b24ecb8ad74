/*
 * Workers: each executes blocks of a launch on a thread of its own (worker.c).
 *
 * Nobody else touches a worker while its thread executes; what it has counted and found
 * is read when all workers of the launch have finished.
 */
#ifndef EMULATOR_WORKER_H
#define EMULATOR_WORKER_H

#include "block.h"
#include "kernel.h"
#include "memory.h"

struct run;

enum {
    HIT_SLOTS = 512,
    HOT_LINES = 1024,
    FLUSH_INSNS = 1 << 16, /* warp instructions between two looks at the budgets */
};

struct worker {
    struct machine *machine;
    struct run *run;
    struct allocation *hits[HIT_SLOTS]; /* by site: the allocation it accessed last */
    struct tally *tallies;
    uint32_t tally_max;
    struct site_counts *sites;
    uint32_t site_max;
    struct tally *booked; /* the tallies, as far as they are booked to blocks */
    uint32_t booked_max;
    struct booked_memory {
        uint64_t wavefronts, lines, sectors, missed;
    } booked_memory; /* the same of all sites together */
    struct ended_blocks ended;
    uint64_t hot[HOT_LINES]; /* atomics by the hash of their line; if has_hot */
    bool has_hot;
    struct counters counters; /* what is counted at no site */
    uint64_t blocks_ended;    /* of this launch */
    uint64_t insns_unflushed; /* executed, and not yet added to the launch's */
    /* A warp whose clock is later is held where it may meet others (order.h). */
    uint64_t horizon;
    struct stamps *stamps;           /* NULL: none were needed yet */
    uint64_t polled_sectors;         /* read again by a warp that polls */
    uint32_t lut[8];                 /* of the lop3 being executed */
    bool links_global, links_shared; /* some were found (links.h) */
    struct flights *flights;         /* bulk copies that are under way; NULL: none yet */
    struct warp *free_warps;
    struct block *free_blocks;
    struct cluster *free_cluster; /* one that nobody uses; NULL: none */
    struct fault fault;
    uint64_t fault_block; /* the block of the fault; UINT64_MAX: none */
    struct fault notices[NOTICES_MAX];
    uint32_t notice_count;
    char *asserted; /* what a failed assertion prints; NULL: none ever failed */
    size_t asserted_bytes;
};

/* Prepares a worker for a launch; -1: the host has no memory. worker_end() frees what the
 * launch's blocks and warps held; counters, fault and notices stay. */
int worker_begin(struct worker *wk, struct run *r);
void worker_end(struct worker *wk);

/* Executes independent blocks until the launch has none left, or a fault. */
void worker_run_parallel(struct worker *wk);

/* Executes all blocks of a launch, in which blocks may wait for each other. */
void worker_run_serial(struct worker *wk);

/* The same in the order of the warps' clocks (order.h). */
void worker_run_in_order(struct worker *wk);

/* ops/flight.c: forgets the bulk copies to these bytes of shared memory, or that tell an
 * mbarrier there; and all. */
void flights_drop(struct worker *wk, const uint8_t *memory, uint64_t bytes);
void flights_free(struct worker *wk);

/* Adds what the warp has executed to what the launch has used. -1: the budget is used up,
 * or the launch is interrupted, and the warp has its fault. */
int budget_check(struct warp *w, const struct insn *in);

#endif
