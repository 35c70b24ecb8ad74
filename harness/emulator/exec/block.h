/*
 * A block of threads in execution: its warps, barriers, shared memory and L1 cache
 * (block.c). A worker owns its blocks and keeps those that are put back for later ones.
 */
#ifndef EMULATOR_BLOCK_H
#define EMULATOR_BLOCK_H

#include "warp.h"

struct cluster;
struct module;
struct race_block;

enum { BARRIERS = 16 };

struct barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* threads; 0: all live ones */
    /* of the predicates of bar.red */
    bool reduce_and, reduce_or;
    uint32_t reduce_count;
    struct warp_clock latest; /* of those that have arrived */
};

enum { MBARRIER_CLOCKS = 32 };
enum { L1_LINES = 512 }; /* of 128 bytes */

struct block {
    struct worker *worker;
    uint64_t number;
    uint32_t id[3];
    struct warp *warps[32];
    uint32_t warp_count, warps_done, threads;
    uint32_t live_threads; /* have not exited */
    struct barrier barriers[BARRIERS];
    uint8_t *shared, *shared_shadow; /* the shadow is as an allocation's (memory.h) */
    uint32_t shared_bytes;
    uint64_t *shared_tags; /* of its shared memory (links.c); NULL: not needed */
    struct {
        uint64_t warp, clock;
    } newest[2];       /* the newest write to shared memory, and that of another warp */
    uint32_t l1_stamp; /* lines with another stamp are an earlier block's: empty */
    struct l1_line {
        uint64_t line;
        uint64_t ready; /* when what was asked for last is there, as clock_now() tells */
        uint32_t stamp;
        uint8_t sectors;
        uint8_t waiter; /* the warp that waits for it in the region that asked */
    } l1[L1_LINES];
    struct block *next;
    uint32_t ended;    /* mask of the warps that have ended */
    uint32_t awaiting; /* mask of the barriers at which threads wait */
    struct cluster *cluster;
    uint32_t rank; /* in the cluster */
    bool ran;      /* a path moved on in the last turn */
    struct block_cost cost;
    struct warp_clock begin; /* of its warps' clocks: 0, or when its place became free */
    uint32_t place; /* of the schedule, if blocks run by their clocks (order.h) */
    uint64_t due;   /* the clock of the first warp that is held there */
    /* When what the last arrivals and copies of an mbarrier stand for is done, by the
     * hash of its address. */
    struct warp_clock mbarriers[MBARRIER_CLOCKS];
    bool has_barriers, has_mbarriers; /* some were used */
    struct race_block *race;          /* NULL: races are not looked for */
    /* With checks on: a thread that had acted (struct warp) and then ended. in is NULL if
     * there is none. */
    struct {
        const struct insn *in;
        const struct program *program;
        uint32_t thread;
    } left;
};

enum block_result { BLOCK_DONE, BLOCK_YIELD, BLOCK_FAULT };

/* block_get() begins a block; NULL: the host has no memory. block_put() gives it back to
 * the worker, block_destroy() frees its memory. */
struct block *block_get(struct worker *wk, uint64_t number);
void block_put(struct block *b);
void block_destroy(struct block *b);

/* Gives the warps turns until all have ended (DONE) or one has a fault. YIELD: other
 * blocks go on first, those of its cluster or, where the kernel is serial, all. */
enum block_result block_run(struct block *b);

/* The same, warp by warp in the order of their clocks (order.h). YIELD: until the clocks
 * of other blocks have come to b->due; UINT64_MAX: until one of the cluster lets it go
 * on. others: the earliest of the other blocks' clocks. */
enum block_result block_run_in_order(struct block *b, uint64_t others);
/* The clock of the block's earliest warp that could go on; UINT64_MAX: there is none. */
uint64_t block_due(const struct block *b);

/* Gives the worker the fault of a block in which no thread can go on. */
void fault_deadlock(struct block *b);

/* Lets the paths go on that wait at a barrier, if it is complete. barriers_recheck() does
 * so for all barriers of the block. */
void barrier_check(struct block *b, uint32_t id);
void barriers_recheck(struct block *b);

/* Where a barrier of the block, or of the grid, may stand: the end of a sentence. */
const char *barrier_rule(const struct module *mod, const struct ptx_insn *in);

/* With checks on: remembers a thread that ends after it has acted (b->left). */
void barrier_note_exit(struct warp *w, const struct insn *in);

/* ops/barrier.c: writes the result of bar.red for a path that goes on. */
void barrier_result(const struct path *s, const struct barrier *bar);

#endif
