/* Loads and stores that are held until their turn, and leave or take stamps (order.h). */
#include "ordered.h"

#include "../cost/count.h"
#include "../order.h"
#include "access.h"

#include <string.h>

static void
addresses_of(const struct warp *w, const struct access *ac, uint64_t *addresses)
{
    uint64_t window = ac->space == PTX_SPACE_SHARED ? SHARED_WINDOW : 0;

    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t at = (uint64_t)ac->offset, wide;
        uint32_t narrow;

        if (ac->address != UINT32_MAX && (ac->flags & ACCESS_WIDE_ADDRESS) != 0) {
            memcpy(&wide, w->regs + ac->address + lane * sizeof wide, sizeof wide);
            at += wide;
        } else if (ac->address != UINT32_MAX) {
            memcpy(&narrow, w->regs + ac->address + lane * sizeof narrow, sizeof narrow);
            at = narrow + (uint32_t)at;
        }
        addresses[lane] = window + at;
    }
}

const struct insn *
op_ordered_load(struct warp *w, const struct insn *in)
{
    const struct access *ac = in->access;
    uint64_t addresses[LANES], sectors;
    const struct insn *next;

    if (!w->worker->run->in_order)
        return ac->plain(w, in);
    if (order_holds(w, in))
        return NULL;
    addresses_of(w, ac, addresses); /* the load may replace its own address */
    sectors = site_counts(w, ac->slot)->global_sectors;
    next = ac->plain(w, in);
    if (next == NULL)
        return NULL;
    sectors = site_counts(w, ac->slot)->global_sectors - sectors;
    order_polls(w, in, addresses[__builtin_ctz(w->mask)], sectors);
    order_take(w, addresses, w->mask);
    return next;
}

/* Has the warp just read from the same address? Then it polls. What others have written
 * since is not in L1, so each poll takes as long as a load that misses L1. */
static void
poll_plainly(struct warp *w, const struct insn *in, uint64_t address)
{
    if (w->polled == in && w->polled_address == address) {
        clock_settle(w);
        clock_add_miss(&w->path_clock);
    }
    w->polled = in;
    w->polled_address = address;
}

const struct insn *
op_ordered_plain_load(struct warp *w, const struct insn *in)
{
    const struct access *ac = in->access;
    uint64_t addresses[LANES];
    const struct insn *next;

    if (!w->worker->run->in_order)
        return ac->plain(w, in);
    if (order_holds(w, in))
        return NULL;
    addresses_of(w, ac, addresses); /* the load may replace its own address */
    next = ac->plain(w, in);
    if (next == NULL)
        return NULL;
    poll_plainly(w, in, addresses[__builtin_ctz(w->mask)]);
    order_take(w, addresses, w->mask);
    return next;
}

const struct insn *
op_ordered_store(struct warp *w, const struct insn *in)
{
    const struct access *ac = in->access;
    uint64_t addresses[LANES];
    const struct insn *next;

    if (!w->worker->run->in_order)
        return ac->plain(w, in);
    if (order_holds(w, in))
        return NULL;
    next = ac->plain(w, in);
    if (next != NULL) {
        addresses_of(w, ac, addresses);
        order_stamp(w, addresses, w->mask);
    }
    return next;
}

const struct insn *
op_ordered_other(struct warp *w, const struct insn *in)
{
    return order_holds(w, in) ? NULL : in->extra->plain(w, in);
}
