/*
 * Gives the blocks of a launch to SMs, as a GPU hands them out (schedule.c). Each SM has
 * places for resident blocks. Blocks are added in the order of their numbers, and each
 * goes to the place that is free first.
 *
 * A schedule belongs to the machine and is begun anew for each launch.
 */
#ifndef EMULATOR_SCHEDULE_H
#define EMULATOR_SCHEDULE_H

#include "../exec.h"
#include "block_cost.h"

struct schedule;

/* One place of an SM for a resident block. */
struct schedule_place {
    struct warp_clock clock; /* sums over its blocks */
    uint64_t blocks;
    uint64_t taken_at; /* when its block began, in cycles */
};

/* NULL: no memory. */
struct schedule *schedule_new(void);
void schedule_free(struct schedule *s);

/* For a launch of so many blocks, of which an SM holds per_sm at once. -1: no memory. */
int schedule_begin(struct schedule *s, const struct device_model *d, uint64_t blocks,
                   uint32_t per_sm);
void schedule_add(struct schedule *s, const struct ended_block *blocks);

/* Blocks that may wait for each other come and go one at a time, by what follows. When is
 * the first place free, in cycles? UINT64_MAX: none is. */
uint64_t schedule_free_at(const struct schedule *s);
uint32_t schedule_free_places(const struct schedule *s);
/* Takes that place for a block, whose warps begin with the place's clock. */
uint32_t schedule_take(struct schedule *s, struct warp_clock *begin);
/* The block has ended, and its place is free. The clock in its cost has begun with the
 * place's. */
void schedule_give_back(struct schedule *s, uint32_t place, const struct block_cost *c);
/* All blocks have been added. */
void schedule_end(struct schedule *s);

/* After schedule_end(): the places that were used; the schedule's. */
const struct schedule_place *schedule_places(const struct schedule *s, uint32_t *count);
/* What the SM that has most of it has of a unit's work. */
uint64_t schedule_most(const struct schedule *s, enum sm_unit unit);

#endif
