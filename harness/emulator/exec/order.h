/*
 * The order of what warps tell each other (order.c).
 *
 * A launch takes as long as its longest chain of waits. A warp may wait for another
 * through memory: it reads until a flag is set. When that is depends on the clocks of
 * both (cost/block_cost.h). So in a kernel whose blocks may wait for each other, what
 * others can see happens in the order of the warps' clocks. These are stores and atomics,
 * and loads that are volatile, relaxed or acquire. A warp that comes to one of them is
 * held while another's clock is earlier. Other loads need not be held: nothing has been
 * stored yet that is later than they are.
 *
 * Plain loads may wait for others as well. That is a race, which the tests find. From
 * then on all loads and stores of the kernel to that memory are held.
 *
 * Clocks are compared as if all misses were answered by DRAM. If L2 answers them, a warp
 * that polls has a clock that lags. So what is written has a stamp, the writer's clock,
 * and what reads it goes on with that at least. Stamps are kept by a hash of the sector.
 * Sectors that share one have the later of both.
 */
#ifndef EMULATOR_ORDER_H
#define EMULATOR_ORDER_H

#include "worker.h"

/* Holds a warp before `in`. If the launch's budget is used up, the warp has its fault. */
void order_hold(struct warp *w, const struct insn *in);

/* Is the warp too early for what others see? Then it is held, and its path comes to `in`
 * again; the handler returns NULL. */
static inline bool
order_holds(struct warp *w, const struct insn *in)
{
    if (__builtin_expect(w->worker->horizon == UINT64_MAX, 1) ||
        clock_now(w) <= w->worker->horizon)
        return false;
    order_hold(w, in);
    return true;
}

/* Before and after a launch whose blocks run in order. -1: the host has no memory. */
int order_begin(struct worker *wk);
void order_free(struct worker *wk);

/* The instruction has read from this address, and asked for so many sectors. If it did so
 * before, the warp polls. */
static inline void
order_polls(struct warp *w, const struct insn *in, uint64_t address, uint64_t sectors)
{
    if (w->polled == in && w->polled_address >> 5 == address >> 5)
        w->worker->polled_sectors += sectors;
    w->polled = in;
    w->polled_address = address;
}

/* The lanes of the mask have written to these addresses, or have read from them. */
void order_stamp(struct warp *w, const uint64_t *addresses, uint32_t mask);
void order_take(struct warp *w, const uint64_t *addresses, uint32_t mask);

#endif
