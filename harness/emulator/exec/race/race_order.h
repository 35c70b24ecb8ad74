/*
 * One access, as it is looked at: what is ordered before it, what is a race with it, and
 * how it is remembered. For race.c alone, whose inner loops these functions are.
 */
#ifndef EMULATOR_RACE_ORDER_H
#define EMULATOR_RACE_ORDER_H

#include "race.h"

/* The access in question. */
struct racer {
    struct race *race;
    struct race_block *rb;
    struct race_shadow *shadow;
    struct warp *w;
    const struct insn *in;
    const struct race_request *q;
    const uint8_t *host;                          /* of offset 0 */
    uint64_t base;                                /* address of offset 0 */
    uint64_t bytes;                               /* of the memory */
    uint32_t stamp, old, block_floor, warp_floor; /* old: before it nothing counts */
    uint32_t block;
    uint8_t warp;
    bool strong, writes, global;
};

/* --- order ------------------------------------------------------------------------- */

static inline bool
same_block(const struct racer *a, const struct race_record *r)
{
    return r->block == a->block && r->scope != RACE_GRID;
}

static inline bool
same_warp(const struct racer *a, const struct race_record *r)
{
    return r->block == a->block && r->scope == RACE_WARP && r->warp == a->warp;
}

static inline bool
all_know(const struct racer *a, const struct race_record *r, uint32_t lanes, bool is_read)
{
    if (!a->rb->knows && (!same_warp(a, r) || a->rb->warps[a->warp].seen == NULL))
        return false;
    for (; lanes != 0; lanes &= lanes - 1)
        if (!race_knows(a->w, (unsigned)__builtin_ctz(lanes), r, is_read))
            return false;
    return true;
}

/* Do all accesses that the record stands for come before this one? */
static inline bool
is_ordered(const struct racer *a, const struct race_record *r, uint32_t lanes,
           bool is_read)
{
    if (r->stamp < a->old)
        return true;
    if (same_block(a, r) && r->stamp < a->block_floor)
        return true;
    if (same_warp(a, r) &&
        (r->stamp < a->warp_floor || (r->lanes == lanes && (lanes & (lanes - 1)) == 0)))
        return true;
    return all_know(a, r, lanes, is_read);
}

static inline bool
after_write(const struct racer *a, const struct race_record *r, uint32_t lanes)
{
    return is_ordered(a, r, lanes, false);
}

static inline bool
after_read(const struct racer *a, const struct race_record *r, uint32_t lanes)
{
    return is_ordered(a, r, lanes, true);
}

/* A read and a write without an order, one of them before: are they a race at all? */
static inline bool
harmless(const struct racer *a, const struct race_record *r, bool other_writes)
{
    if (a->strong && r->strong)
        return true;
    if (other_writes)
        return r->silent || (a->q->quiet && r->atomic) || (a->global && r->quiet);
    return (r->quiet && a->q->kind == RACE_ATOMIC) || (a->global && a->q->quiet);
}

/* --- records ----------------------------------------------------------------------- */

static inline struct race_record
record_of(const struct racer *a, uint32_t lanes)
{
    return (struct race_record){.stamp = a->stamp,
                                .block = a->block,
                                .lanes = lanes,
                                .slot = (uint16_t)a->q->slot,
                                .warp = a->warp,
                                .scope = RACE_WARP,
                                .strong = a->strong,
                                .quiet = a->q->quiet,
                                .atomic = a->q->kind == RACE_ATOMIC};
}

/* One more who did the same as the record's, not ordered with them. */
static inline void
merge(const struct racer *a, struct race_record *r, uint32_t lanes)
{
    enum race_scope wide = r->block != a->block ? RACE_GRID : RACE_BLOCK;

    r->stamp = r->stamp > a->stamp ? r->stamp : a->stamp;
    r->quiet &= a->q->quiet;
    r->atomic &= a->q->kind == RACE_ATOMIC;
    if (same_warp(a, r)) {
        r->lanes |= lanes;
        return;
    }
    if (r->scope >= wide)
        return;
    r->scope = wide;
    r->other_block = a->block;
    r->other_slot = (uint16_t)a->q->slot;
    r->other_warp = a->warp;
    r->other_lane = (uint8_t)__builtin_ctz(lanes);
}

/* The access takes the place of what is ordered before it, else it joins. */
static inline void
note(const struct racer *a, struct race_record *r, uint32_t lanes, bool is_ordered)
{
    if (is_ordered)
        *r = record_of(a, lanes);
    else
        merge(a, r, lanes);
}

static inline bool
is_old(const struct racer *a, const struct race_record *r)
{
    return r->stamp < a->old || (same_block(a, r) && r->stamp < a->block_floor) ||
           (same_warp(a, r) && r->stamp < a->warp_floor);
}

/* Of plain and strong reads the plain ones are kept: they race with more. */
static inline void
note_read(const struct racer *a, struct race_record *r, uint32_t lanes)
{
    if (a->strong && !r->strong && !is_old(a, r))
        return;
    note(a, r, lanes, after_read(a, r, lanes) || (r->strong && !a->strong));
}

#endif
