/*
 * Links: reads of what another warp of the same launch has written (links.c).
 *
 * Where neither flags nor a test's race tell of a wait, the warps of a block and the
 * blocks of a launch are executed one after the other. So a warp may find what an earlier
 * one has left, though nothing made it wait. No order of execution prevents that: a block
 * can take the next number from a plain counter, whichever comes first. So the data is
 * followed. Memory that is written has tags, which say who has written each word, and
 * when by the writer's clock. A warp may read another's word though no barrier lies
 * between. Its clock then takes the time of the write, as if it had waited before it
 * began. From the next launch on, the kernel is held as if a test had found its race
 * (order.h).
 *
 * A block of another cluster is never waited for. Warps of one cluster or block meet at
 * barriers, which move their clocks. So a read is in order if the write is not later than
 * the reader's clock was when it last came from a barrier. Clocks are those of
 * block_cost.h where DRAM answers.
 *
 * Launches with checks need no tags, and neither does memory to which stores are held.
 */
#ifndef EMULATOR_LINKS_H
#define EMULATOR_LINKS_H

#include "launch.h"

struct access;

/* Before a launch: it gets numbers for its blocks, and it is decided what has tags. */
void links_begin(struct run *r);
/* After it: what the workers have found holds for the kernel. */
void links_end(const struct run *r, int workers);

/* The warp has read or written bytes of one allocation, which its site has accessed last,
 * or of shared memory. The space is GLOBAL or SHARED. */
void links_read(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
                uint64_t bytes);
void links_write(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
                 uint64_t bytes);
/* An update, which adds to what others have written. */
void links_update(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
                  uint64_t bytes);

enum links_access { LINKS_READ, LINKS_WRITE, LINKS_UPDATE };

/* The same for any address, whether it can be accessed or not. */
void links_any(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
               uint64_t bytes, enum links_access access);

/* A block begins to use shared memory that another has used. -1: no memory. */
int links_block(struct block *b);

/* Cycles that one step of a tag's clock stands for. */
enum { LINK_STEP_BITS = 6 };

/* The number of a warp in tags. */
static inline uint64_t
link_warp(const struct warp *w)
{
    return (uint64_t)(w->worker->run->first_unit + (uint32_t)w->block->number) << 5 |
           w->index;
}

/* May a read find a link? Mostly nobody has written to that memory in this launch, or to
 * shared memory since the last barrier. */
static inline bool
links_may_read(const struct warp *w, uint32_t slot, enum ptx_space space)
{
    const struct block *b = w->block;
    unsigned other = b->newest[0].warp == link_warp(w);

    if (space == PTX_SPACE_SHARED)
        return b->newest[other].clock > w->met >> LINK_STEP_BITS ||
               w->worker->run->cluster_blocks > 1;
    return atomic_load_explicit(&w->worker->hits[slot % HIT_SLOTS]->written_by,
                                memory_order_relaxed) == w->worker->run->number;
}

static inline bool
links_follow(const struct warp *w, enum ptx_space space)
{
    return space == PTX_SPACE_SHARED ? w->worker->run->links_shared
                                     : w->worker->run->links_global;
}

#endif
