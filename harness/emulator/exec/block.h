/* A block of threads: its warps, barriers, shared memory and L1 filter (block.c). */
#ifndef EMULATOR_BLOCK_H
#define EMULATOR_BLOCK_H

#include "warp.h"

struct cluster;
struct race_block;

enum { BARRIERS = 16 };

struct barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* threads; 0: all live ones */
    bool reduce_and, reduce_or;
    uint32_t reduce_count;
};

enum { L1_LINES = 512 }; /* of 128 bytes */

struct block {
    struct worker *worker;
    uint64_t number;
    uint32_t id[3];
    struct warp *warps[32];
    uint32_t warp_count, warps_done, threads;
    uint32_t live_threads;
    struct barrier barriers[BARRIERS];
    uint8_t *shared, *shared_shadow; /* shadow: as that of an allocation */
    uint32_t shared_bytes;
    uint32_t l1_stamp; /* lines with another stamp are an earlier block's: empty */
    struct {
        uint64_t line;
        uint32_t stamp;
        uint8_t sectors;
    } l1[L1_LINES];
    struct block *next;
    uint32_t ended;    /* warps that have */
    uint32_t awaiting; /* barriers at which threads wait, a bit each */
    struct cluster *cluster;
    uint32_t rank;           /* in the cluster */
    bool ran;                /* in its last turn */
    struct race_block *race; /* NULL: races are not looked for */
    /* With checks on: a thread that did something behind its last barrier and ended;
     * in: NULL: none. */
    struct {
        const struct insn *in;
        const struct program *program;
        uint32_t thread;
    } left;
};

enum block_result { BLOCK_DONE, BLOCK_YIELD, BLOCK_FAULT };

/* A worker keeps the blocks that are put back; NULL: the host has no memory for one. */
struct block *block_get(struct worker *wk, uint64_t number);
void block_put(struct block *b);
void block_destroy(struct block *b);

/* Gives the warps turns until they have ended (DONE), one has a fault, or other blocks
 * are to go on first (YIELD): those of its cluster, or all where the kernel is serial. */
enum block_result block_run(struct block *b);

/* The fault of a block in which no thread can go on. */
void fault_deadlock(struct block *b);

/* Lets the paths go that wait at a barrier, if it is complete; those of all barriers. */
void barrier_check(struct block *b, uint32_t id);
void barriers_recheck(struct block *b);

/* With checks on: remembers a thread that ends behind its last barrier. */
void barrier_note_exit(struct warp *w, const struct insn *in);

/* ops/barrier.c: what bar.red gives a path that is let go. */
void barrier_result(const struct path *s, const struct barrier *bar);

#endif
