/*
 * Tags of memory: links.h tells the scheme. A word of four bytes has a tag of 64 bits:
 *
 *     the block's number, by launch (32) | the warp (5) | bytes of the word (4) |
 *     OTHER_WARPS | OTHER_BLOCKS | clock in steps (21)
 *
 * The warp is the one that wrote last, and the bytes are those that only it has written.
 * The flags say that others have written to the word as well, of its block or of other
 * blocks. The clock is then the latest of all of them. A number of an earlier launch
 * means: not written. Workers write tags at the same time only where they write to one
 * word, which is a race of the kernel.
 */
#include "links.h"

#include "cluster.h"
#include "machine.h"
#include "ops/access.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC optimize("O3")

enum { CLOCK_BITS = 21, BYTES_AT = 23, WARP_AT = 27 };
#define CLOCK_MAX (((uint64_t)1 << CLOCK_BITS) - 1)
#define OTHER_WARPS ((uint64_t)1 << 22)
#define OTHER_BLOCKS ((uint64_t)1 << 21)
#define ALL_BYTES ((uint64_t)15 << BYTES_AT)

/* --- a launch -------------------------------------------------------------- */

/* Numbers of blocks are used up, or the room for tags: no memory has any more. */
static void
links_forget_all(struct machine *m)
{
    for (size_t i = 0; i < m->memory.count; i++)
        memory_forget_tags(m, m->memory.sorted[i]);
    m->next_unit = 1;
}

void
links_begin(struct run *r)
{
    struct machine *m = r->machine;
    bool several = r->warps_per_block > 1 || cluster_size(r) > 1;
    bool ordered = r->in_order && (r->kernel->shared_flags || r->kernel->races_shared);

    r->cluster_blocks = cluster_size(r);
    r->links_global = !r->checks && !r->serial && (several || r->block_total > 1) &&
                      r->block_total < UINT32_MAX / 2;
    r->links_shared = !r->checks && several && !ordered && r->shared_bytes != 0 &&
                      r->block_total < UINT32_MAX / 2;
    if (!r->links_global && !r->links_shared)
        return;
    if (m->next_unit == 0 || UINT32_MAX - m->next_unit < r->block_total ||
        m->memory.tag_bytes > m->memory.tag_room / 2)
        links_forget_all(m);
    r->first_unit = m->next_unit;
    m->next_unit += (uint32_t)r->block_total;
}

void
links_end(const struct run *r, int workers)
{
    for (int i = 0; i < workers && !r->checks; i++) {
        r->kernel->races_global |= r->machine->workers[i].links_global;
        r->kernel->races_shared |= r->machine->workers[i].links_shared;
    }
}

int
links_block(struct block *b)
{
    memset(b->newest, 0, sizeof b->newest);
    if (!b->worker->run->links_shared || b->shared_tags != NULL)
        return 0;
    b->shared_tags = calloc(b->worker->run->shared_bytes / 4 + (size_t)1, 8);
    return b->shared_tags != NULL ? 0 : -1;
}

/* --- tags ------------------------------------------------------------------ */

/* Where the tags are of the memory that holds an address, which becomes an offset. NULL:
 * there are none. */
static uint64_t *
tags_at(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t *address,
        struct block **owner)
{
    struct allocation *a = w->worker->hits[slot % HIT_SLOTS];
    struct block *b = w->block;

    *owner = NULL;
    if (space != PTX_SPACE_SHARED) {
        *address -= a->start;
        return atomic_load_explicit(&a->tags, memory_order_acquire);
    }
    if (*address >= CLUSTER_STEP)
        b = b->cluster->blocks[*address / CLUSTER_STEP - 1];
    *address %= CLUSTER_STEP;
    *owner = b;
    return b->shared_tags;
}

/* The same for a write, which may be the first to an allocation. */
static uint64_t *
tags_for(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t *address,
         struct block **owner)
{
    uint64_t *tags = tags_at(w, slot, space, address, owner);
    struct allocation *a = w->worker->hits[slot % HIT_SLOTS];
    uint32_t number = w->worker->run->number;

    if (space == PTX_SPACE_SHARED)
        return tags;
    if (tags == NULL)
        tags = memory_make_tags(w->worker->machine, a);
    if (tags == NULL)
        w->worker->links_global = true; /* what is not seen may be a chain */
    else if (atomic_load_explicit(&a->written_by, memory_order_relaxed) != number)
        atomic_store_explicit(&a->written_by, number, memory_order_relaxed);
    return tags;
}

static uint64_t
step_of(uint64_t cycles)
{
    return cycles >> LINK_STEP_BITS < CLOCK_MAX ? cycles >> LINK_STEP_BITS : CLOCK_MAX;
}

/* The newest write to the shared memory of a block, and that of another warp. */
static void
note_newest(struct block *b, uint64_t warp, uint64_t clock)
{
    if (b->newest[0].warp != warp && clock > b->newest[0].clock) {
        b->newest[1] = b->newest[0];
        b->newest[0].warp = warp;
    }
    if (b->newest[0].warp == warp)
        b->newest[0].clock = clock > b->newest[0].clock ? clock : b->newest[0].clock;
    else if (clock > b->newest[1].clock)
        b->newest[1].clock = clock;
}

/* The bytes of word i that lie in [from, to), as in a tag. */
static uint64_t
bytes_of_word(uint64_t i, uint64_t from, uint64_t to)
{
    uint64_t first = from > i * 4 ? from - i * 4 : 0;
    uint64_t end = to < i * 4 + 4 ? to - i * 4 : 4;

    return ((1u << end) - (1u << first)) << (uint64_t)BYTES_AT;
}

/* Numbers of blocks that lie one after the other. */
struct units {
    uint32_t first;
    uint64_t count;
};

/* The blocks that can have written what the memory holds: those of the launch. Shared
 * memory begins anew with each cluster, though the tags of an earlier one's are still
 * there. */
static struct units
units_of(const struct warp *w, enum ptx_space space)
{
    const struct run *r = w->worker->run;
    uint32_t number = (uint32_t)w->block->number;

    if (space == PTX_SPACE_SHARED)
        return (struct units){r->first_unit + number - number % r->cluster_blocks,
                              r->cluster_blocks};
    return (struct units){r->first_unit, r->block_total};
}

static bool
is_of(const struct units *u, uint64_t tag)
{
    return (uint32_t)(tag >> 32) - u->first < u->count;
}

/* The tag of a word of which some bytes are written, or all are updated. */
static uint64_t
tag_merge(const struct units *u, uint64_t old, uint64_t tag, bool is_update)
{
    uint64_t flags = old & (OTHER_WARPS | OTHER_BLOCKS);
    uint64_t clock = old & CLOCK_MAX, now = tag & CLOCK_MAX;

    if (!is_of(u, old))
        return tag;
    tag = (tag & ~CLOCK_MAX) | (clock > now ? clock : now) | flags;
    if (old >> WARP_AT == tag >> WARP_AT)
        return flags != 0 && is_update ? tag & ~ALL_BYTES : tag | (old & ALL_BYTES);
    tag |= old >> 32 == tag >> 32 ? OTHER_WARPS : OTHER_BLOCKS;
    return is_update ? tag & ~ALL_BYTES : tag;
}

static void
tags_write(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
           uint64_t bytes, bool is_update)
{
    struct block *owner;
    uint64_t *tags = tags_for(w, slot, space, &address, &owner);
    uint64_t clock = step_of(clock_settled(w)), end = address + bytes;
    uint64_t tag = link_warp(w) << WARP_AT | clock;
    struct units units;

    if (tags == NULL)
        return;
    if (owner != NULL)
        note_newest(owner, link_warp(w), clock);
    if (((address | bytes) & 3) == 0 && !is_update) {
        uint64_t *to = tags + address / 4, words = bytes / 4;

        tag |= ALL_BYTES;
        for (uint64_t i = 0; i < words; i++)
            to[i] = tag;
        return;
    }
    units = units_of(w, space);
    for (uint64_t i = address / 4; i * 4 < end; i++) {
        uint64_t of = bytes_of_word(i, address, end);

        tags[i] = of == ALL_BYTES && !is_update
                      ? tag | ALL_BYTES
                      : tag_merge(&units, tags[i], tag | of, is_update);
    }
}

void
links_write(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
            uint64_t bytes)
{
    tags_write(w, slot, space, address, bytes, false);
}

void
links_update(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
             uint64_t bytes)
{
    tags_write(w, slot, space, address, bytes, true);
}

/* --- reads ----------------------------------------------------------------- */

/* The warp goes on as if it had begun when the other wrote. */
static void
link_take(struct warp *w, uint64_t tag, enum ptx_space space)
{
    uint64_t until = ((tag & CLOCK_MAX) + 1) << LINK_STEP_BITS;

    if (space == PTX_SPACE_SHARED)
        w->worker->links_shared = true;
    else
        w->worker->links_global = true;
    if (until > w->met) {
        clock_delay(w, until - w->met);
        w->met = until;
    }
}

/* Looks at a word that another warp has written, or another one as well. */
static void
read_word(struct warp *w, uint64_t tag, uint64_t bytes, enum ptx_space space)
{
    const struct run *r = w->worker->run;
    uint32_t own = r->first_unit + (uint32_t)w->block->number;
    uint32_t other = (uint32_t)(tag >> 32);
    bool covered = (bytes & ~tag & ALL_BYTES) == 0;
    bool far = (other - r->first_unit) / r->cluster_blocks !=
               (own - r->first_unit) / r->cluster_blocks;

    if (covered && tag >> WARP_AT == link_warp(w))
        return;
    if ((bytes & tag) == 0 && (tag & (OTHER_WARPS | OTHER_BLOCKS)) == 0)
        return; /* the other bytes were written */
    far = space != PTX_SPACE_SHARED &&
          (far || ((tag & OTHER_BLOCKS) != 0 && !(covered && other == own)));
    if (far || (tag & CLOCK_MAX) > step_of(w->met))
        link_take(w, tag, space);
}

void
links_read(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
           uint64_t bytes)
{
    struct block *owner;
    const uint64_t *tags = tags_at(w, slot, space, &address, &owner);
    uint64_t own = link_warp(w) << WARP_AT, end = address + bytes;
    const struct units units = units_of(w, space);

    if (tags == NULL)
        return;
    own |= ALL_BYTES;
    for (uint64_t i = address / 4; i * 4 < end; i++)
        if ((tags[i] & ~CLOCK_MAX) != own && is_of(&units, tags[i]))
            read_word(w, tags[i], bytes_of_word(i, address, end), space);
}

/* Finds the memory itself. */
void
links_any(struct warp *w, uint32_t slot, enum ptx_space space, uint64_t address,
          uint64_t bytes, enum links_access access)
{
    uint8_t *shadow;

    if (space == PTX_SPACE_GENERIC && address - SHARED_WINDOW < WINDOW_BYTES) {
        space = PTX_SPACE_SHARED;
        address -= SHARED_WINDOW;
    }
    if (!links_follow(w, space))
        return;
    if (space == PTX_SPACE_SHARED) {
        if (cluster_range(w, address, bytes, &shadow) == NULL)
            return;
    } else {
        const struct allocation *a = access_find(w, slot, address);

        if (address - a->start >= a->bytes || bytes > a->bytes - (address - a->start))
            return;
    }
    if (access != LINKS_READ)
        tags_write(w, slot, space, address, bytes, access == LINKS_UPDATE);
    else if (links_may_read(w, slot, space))
        links_read(w, slot, space, address, bytes);
}
