/*
 * What one block costs: the work that it gives to the units of its SM, and how long its
 * slowest warp is busy if nothing else keeps it waiting (block_cost.c).
 *
 * A warp's clock runs with its critical path (decode/critical.c). Where a warp waits for
 * others, at a barrier of the block or cluster, it goes on with the latest of their
 * clocks. So a block's cost is that of its longest chain of work, whichever warps do it,
 * and warps that only wait add nothing and hide nothing.
 */
#ifndef EMULATOR_BLOCK_COST_H
#define EMULATOR_BLOCK_COST_H

#include <stdbool.h>
#include <stdint.h>

struct block;
struct kernel;
struct warp;
struct worker;

/* What an SM has one of, or a fixed number, for all of its blocks. */
enum sm_unit {
    SM_ISSUE,  /* slots */
    SM_FP32,   /* flops */
    SM_FP64,   /* flops */
    SM_FP16,   /* flops */
    SM_INT,    /* operations */
    SM_SFU,    /* operations */
    SM_TENSOR, /* flops, as many of f16 as would take the same time */
    SM_L1,     /* quarters of a wavefront */
    SM_L2,     /* sectors between the SM and L2 */
    SM_UNITS
};

/* How long a load takes that misses L1 is known only when the launch has ended. Which of
 * two chains of work is the longer one may depend on it. So the longest chain is kept for
 * either end of the range: if all misses are answered by L2, or by DRAM. */
enum assumption { IF_L2, IF_DRAM, ASSUMPTIONS };

/* A chain of work in which everything waits for what is before it. */
struct path_sum {
    uint64_t cycles;
    uint64_t loads;  /* of global memory */
    uint64_t missed; /* of these, those that L1 did not have */
};

/* How far a warp has come along its critical path. */
struct warp_clock {
    struct path_sum path[ASSUMPTIONS];
    uint64_t issue; /* slots of the warp's own scheduler */
};

struct block_cost {
    struct warp_clock clock; /* of the warp that ended last */
    uint64_t unit[SM_UNITS];
};

/* The costs of a worker's blocks that have ended, in the order in which they did. Equal
 * ones in a row are one entry. */
struct ended_blocks {
    struct ended_block {
        struct block_cost cost;
        uint64_t count;
    } * list;
    uint32_t count, max;
};

/* What one execution counted by a tally gives to the units. */
struct tally_weight {
    uint32_t tally;
    uint32_t issue, shuffles;     /* a warp */
    uint32_t work[SM_TENSOR + 1]; /* a lane; [SM_ISSUE] is not used */
};

/* The weights of a kernel's tallies, once for each kernel. -1: no memory. */
int block_cost_weigh(struct kernel *k);
/* Before a launch: the worker has counted nothing. -1: no memory. */
int block_cost_begin(struct worker *wk);
/* After each turn of a block: books what the worker counted meanwhile. */
void block_cost_turn(struct block *b);
/* The block has ended. -1: no memory. */
int block_cost_end(const struct block *b);

struct site;
struct site_counts;
/* The sectors that a site moved between the SM and L2. */
uint64_t missed_sectors(const struct site *site, const struct site_counts *s);
/* Of these, those of the host's memory. */
uint64_t host_sectors(const struct site *site, const struct site_counts *s);

/* *clock becomes the later of both, under each assumption by itself, as do the
 * schedulers' slots. */
void clock_await(struct warp_clock *clock, const struct warp_clock *other);
/* The same for a warp that has met others at a barrier. */
void clock_meet(struct warp *w, const struct warp_clock *other);
/* The warp goes on so many cycles later. */
void clock_delay(struct warp *w, uint64_t cycles);
/* The cycles of a warp's clock where the region that it is in has ended, and if misses
 * are answered by DRAM. */
uint64_t clock_settled(const struct warp *w);
/* The cycles of a clock if misses are answered by DRAM. */
uint64_t clock_cycles(const struct warp_clock *clock);
/* Begins a region that has one path, of so many cycles and loads. */
void clock_advance(struct warp *w, uint32_t cycles, uint32_t loads);
/* Books the loads of the region that the warp is in, and its path if it has several. */
void clock_settle(struct warp *w);
/* A warp in the middle of a region has read what was written at *other: it goes on with
 * the later of both clocks. */
void clock_take(struct warp *w, const struct warp_clock *other);
/* Adds a load that misses L1. */
void clock_add_miss(struct warp_clock *c);
/* The cycles so far, if misses are answered by DRAM; and when what is asked for now is
 * there. */
uint64_t clock_now(const struct warp *w);
uint64_t clock_ready(const struct warp *w);

#endif
