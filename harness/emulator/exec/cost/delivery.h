/*
 * Brings the costs of blocks from the workers to the schedule (delivery.c). Workers run
 * chunks of blocks at the same time and finish them in any order. The schedule gets the
 * blocks in the order of their numbers, so that it does not depend on the workers.
 *
 * A delivery is part of a launch's run. Its functions may be called by all workers at
 * once, between delivery_begin() and delivery_end().
 */
#ifndef EMULATOR_DELIVERY_H
#define EMULATOR_DELIVERY_H

#include "schedule.h"

#include <pthread.h>

struct delivery_chunk;

/* Chunks that may wait for a slower one before them. */
enum { EARLY_CHUNKS = 1024 };

struct delivery {
    struct schedule *schedule;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t chunk; /* blocks of one */
    uint64_t next;  /* the number of the first chunk that the schedule lacks */
    struct delivery_chunk *
        *early;   /* EARLY_CHUNKS later ones, by their number; NULL: none */
    bool stopped; /* what is missing will not come */
    bool no_memory;
};

/* chunk: blocks that a worker takes at a time. */
void delivery_begin(struct delivery *d, struct schedule *schedule, uint64_t chunk);
void delivery_end(struct delivery *d);

/* The blocks of the chunk that begins with this one have ended, and e is what they cost;
 * e is empty afterwards. Waits where too many chunks are ahead of one that is still run.
 */
void delivery_chunk(struct delivery *d, uint64_t first_block, struct ended_blocks *e);
/* Adds them to the schedule at once. */
void ended_deliver(struct ended_blocks *e, struct schedule *schedule);
/* A worker ends within its chunk. */
void delivery_stop(struct delivery *d);

#endif
