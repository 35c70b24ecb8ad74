/*
 * One access under examination: what is ordered before it, what is a race with it, and
 * how it is remembered. These functions are the inner loops of race.c, race_quick.c and
 * race_values.c.
 */
#ifndef EMULATOR_RACE_ORDER_H
#define EMULATOR_RACE_ORDER_H

#include "../machine.h"
#include "race.h"

/* The access under examination. */
struct racer {
    struct race *race;
    struct race_block *rb;
    struct race_shadow *shadow;
    struct warp *w;
    const struct insn *in;
    const struct race_request *q;
    /* the memory: the host's byte and the address of its offset 0, and its size */
    const uint8_t *host;
    uint64_t base;
    uint64_t bytes;
    uint32_t stamp, block_floor, warp_floor;
    uint32_t old; /* accesses with smaller stamps make no race */
    uint32_t block;
    uint8_t warp;
    bool strong, writes, global;
    uint64_t tag; /* the second word of its record, without the lanes */
};

static inline uint64_t
tag_of(const struct warp *w, const struct race_request *q)
{
    bool atomic = q->kind == RACE_ATOMIC;

    return (uint64_t)(uint16_t)q->slot << RACE_SLOT_AT |
           (uint64_t)(uint8_t)w->index << RACE_WARP_AT |
           (uint64_t)RACE_WARP << RACE_SCOPE_AT |
           (uint64_t)(q->strong || atomic) << RACE_STRONG_AT |
           (uint64_t)q->quiet << RACE_QUIET_AT | (uint64_t)atomic << RACE_ATOMIC_AT;
}

static inline struct racer
racer_of(struct warp *w, const struct insn *in, const struct race_request *q)
{
    struct block *b = w->block;
    struct race_block *rb = b->race;
    const struct race_warp *rw = &rb->warps[w->index];

    return (struct racer){.race = rb->race,
                          .rb = rb,
                          .w = w,
                          .in = in,
                          .q = q,
                          .stamp = rw->stamp > rb->floor ? rw->stamp : rb->floor,
                          .block_floor = rb->floor,
                          .warp_floor = rw->floor,
                          .block = (uint32_t)b->number,
                          .warp = (uint8_t)w->index,
                          .strong = q->strong || q->kind == RACE_ATOMIC,
                          .writes = q->kind != RACE_READ,
                          .global = q->space != PTX_SPACE_SHARED,
                          .tag = tag_of(w, q)};
}

/* These say to which memory the access is. */
static inline void
in_allocation(struct racer *a, struct allocation *m)
{
    a->old = a->race->launch_floor;
    a->shadow = &m->race;
    a->base = m->start;
    a->bytes = m->bytes;
    a->host = m->host;
}

static inline void
in_shared(struct racer *a)
{
    const struct block *b = a->w->block;

    a->old = a->rb->start;
    a->shadow = &a->rb->shared;
    a->base = 0;
    a->bytes = b->shared_bytes;
    a->host = b->shared;
}

static inline struct race_request
request_of(const struct access *ac, enum ptx_space space, const uint64_t *ea,
           bool is_store)
{
    return (struct race_request){.ea = ea,
                                 .bytes = (uint32_t)ac->bytes * ac->elements,
                                 .slot = ac->slot,
                                 .space = space,
                                 .kind = is_store ? RACE_WRITE : RACE_READ,
                                 .strong = (ac->flags & ACCESS_WAITS) != 0,
                                 .quiet = (ac->flags & ACCESS_QUIET) != 0,
                                 .has_access = true};
}

/* Notes the instruction of the site, for reports. */
static inline void
note_site(const struct racer *a)
{
    a->race->sites[a->q->slot % RACE_SITES] =
        (struct race_site){a->in, a->w->frame->program};
}

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
after_read(const struct racer *a, const struct race_record *r, uint32_t lanes)
{
    return is_ordered(a, r, lanes, true);
}

/* Is a read and a write without an order between them a race at all? */
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

/* The record becomes that of this access alone. */
static inline void
set_record(const struct racer *a, struct race_record *r, uint32_t lanes)
{
    r->words[0] = a->stamp | (uint64_t)a->block << RACE_BLOCK_AT;
    r->words[1] = a->tag | lanes;
    r->words[2] = 0;
}

/* Adds this access to a record of accesses of its kind, which are not ordered with it. */
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

/* The access replaces the record if that is ordered before it, and else joins it. */
static inline void
note(const struct racer *a, struct race_record *r, uint32_t lanes, bool is_ordered)
{
    if (is_ordered)
        set_record(a, r, lanes);
    else
        merge(a, r, lanes);
}

static inline bool
is_old(const struct racer *a, const struct race_record *r)
{
    return r->stamp < a->old || (same_block(a, r) && r->stamp < a->block_floor) ||
           (same_warp(a, r) && r->stamp < a->warp_floor);
}

/* --- lines ------------------------------------------------------------------------- */

/* The line of the byte at offset. A line starts anew if nobody has accessed it since the
 * last barrier of the block, or for global memory in this launch. NULL: the host has no
 * memory. */
static inline struct race_line *
line_at(const struct racer *a, uint64_t offset)
{
    struct race_line *l;

    if (a->shadow->lines == NULL && !race_lines_new(a->race, a->shadow, a->bytes))
        return NULL;
    l = &a->shadow->lines[offset / RACE_LINE];
    if (l->touched < (a->global ? a->old : a->block_floor)) {
        l->quick.any = l->quick.many = l->quick.part = 0;
        l->quick.r.stamp = 0;
        l->state = RACE_COMPACT;
        l->fresh = true;
    }
    if (l->touched < a->stamp)
        l->touched = a->stamp;
    return l;
}

/* Has nobody written to this memory since the last barrier, or in this launch? Shared
 * memory counts as written where it must be known who has read which word. */
static inline bool
is_unwritten(const struct racer *a)
{
    if (a->race->exact && !a->global)
        return false;
    return a->shadow->written < (a->global ? a->old : a->block_floor);
}

/* race_party.c */
/* Notes the access in a record of the cell, and what its warp did in the party of a
 * record of several warps. */
void race_party_note(const struct racer *a, struct race_cell *c, struct race_record *r,
                     uint32_t lanes, bool is_ordered);
/* Has the party noted these lanes already? */
bool race_party_has(const struct racer *a, const struct race_cell *c,
                    const struct race_record *r, uint32_t lanes);
/* Do all accesses of the cell's record come before this one? If not, *culprit is one warp
 * or block of those that don't. */
bool race_party_ordered(const struct racer *a, const struct race_cell *c,
                        const struct race_record *r, uint32_t lanes, bool is_read,
                        struct race_record *culprit);

/* race_copy.c */
/* Is a copy under way to some of these bytes of shared memory? */
bool race_is_copied(const struct race_block *rb, uint64_t offset, uint64_t bytes);
/* Looks whether copies are under way to what these lanes access in shared memory. */
void race_check_copies(const struct racer *a, uint32_t mask);

/* race_values.c */
/* Do all of these lanes write the value that another has written to the bytes? If the
 * other is a lane of this very instruction, its value counts, and *same_instant becomes
 * true. */
bool race_same_value(const struct racer *a, const struct race_record *r, uint64_t offset,
                     uint32_t n, uint32_t lanes, bool *same_instant);
/* Does the first of these lanes store the value that is there? */
bool race_leaves_value(const struct racer *a, uint64_t offset, uint32_t n,
                       uint32_t lanes);
/* The mask of a line's words that a write leaves as they are. The lanes write in order.
 */
uint32_t race_silent_words(const struct racer *a, uint64_t offset);

/* race_quick.c */
/* Notes reads of memory that nobody has written. */
void race_quick_reads(const struct racer *a, uint32_t mask);
/* Is a whole line written by the lanes that have read it, each its own element, and were
 * all other reads old? Then nothing of the reads is kept. */
bool race_quick_passes(const struct racer *a, struct race_line *l);
/* Looks at a write to words of a line that were read so. It is known only in part who
 * read them; what is not certain is not reported. */
void race_check_quick(const struct racer *a, struct race_line *l, uint64_t offset,
                      uint32_t bytes, uint32_t lanes);

/* race.c */
void race_tell(const struct racer *a, const struct race_record *r, bool other_writes,
               uint64_t offset, uint32_t lanes, bool same_instant);

#endif
