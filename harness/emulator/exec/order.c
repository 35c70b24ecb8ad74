/* Stamps of what warps have written: order.h tells the scheme. */
#include "order.h"

#include "cluster.h"

#include <stdlib.h>

enum { STAMP_BITS = 14 };

struct stamps {
    struct stamp {
        struct warp_clock clock;
        uint64_t launch; /* 0: none */
    } at[1 << STAMP_BITS];
};

/* Many warps may poll: what each has executed counts at once, not when its own budget of
 * branches is used up. */
void
order_hold(struct warp *w, const struct insn *in)
{
    w->worker->insns_unflushed += w->clock;
    w->clock_base += w->clock;
    w->clock = 0;
    if (w->worker->insns_unflushed >= FLUSH_INSNS && budget_check(w, in) != 0)
        return;
    warp_park(w, in, PATH_READY);
    w->stop = STOP_YIELD;
}

int
order_begin(struct worker *wk)
{
    if (wk->stamps == NULL)
        wk->stamps = calloc(1, sizeof *wk->stamps);
    return wk->stamps != NULL ? 0 : -1;
}

void
order_free(struct worker *wk)
{
    free(wk->stamps);
    wk->stamps = NULL;
}

/* Shared memory of several blocks has the same addresses. */
static struct stamp *
stamp_of(struct warp *w, uint64_t address)
{
    struct worker *wk = w->worker;
    uint64_t sector = address >> 5;

    if (address - SHARED_WINDOW < WINDOW_BYTES)
        sector = sector ^ (cluster_owner(w->block, &address) + 1) << 40;
    return &wk->stamps->at[sector * 0x9e3779b97f4a7c15u >> (64 - STAMP_BITS)];
}

void
order_stamp(struct warp *w, const uint64_t *addresses, uint32_t mask)
{
    uint64_t last = UINT64_MAX, launch = w->worker->run->number;

    for (uint32_t m = mask; m != 0; m &= m - 1) {
        uint64_t address = addresses[__builtin_ctz(m)];
        struct stamp *s = stamp_of(w, address);

        if (address >> 5 == last)
            continue;
        last = address >> 5;
        if (s->launch == launch)
            clock_await(&s->clock, &w->path_clock);
        else
            *s = (struct stamp){w->path_clock, launch};
    }
}

void
order_take(struct warp *w, const uint64_t *addresses, uint32_t mask)
{
    uint64_t last = UINT64_MAX, launch = w->worker->run->number;

    for (uint32_t m = mask; m != 0; m &= m - 1) {
        uint64_t address = addresses[__builtin_ctz(m)];
        const struct stamp *s = stamp_of(w, address);

        if (address >> 5 != last && s->launch == launch)
            clock_take(w, &s->clock);
        last = address >> 5;
    }
}
