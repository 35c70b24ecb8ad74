/*
 * What threads know of each other beyond whole barriers: meetings of some lanes of a
 * warp, barriers of some threads of a block, and what an atomic or volatile store
 * publishes to those who read it. All of it is made when first used; a kernel without
 * such things has none.
 *
 * A vector clock is a sorted list of "accesses of this thread (warp, block) with smaller
 * stamps". Locks that thousands of threads take in turn would make these lists long: when
 * a launch has spent MAX_WORK on them, what is published from then on is everything that
 * has happened so far. That can hide a race, never invent one, and is as deterministic as
 * the rest.
 */
#include "../cluster.h"
#include "race.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORK ((uint64_t)2 << 20)

/* --- vector clocks -------------------------------------------------------------------
 */

static int
compare_entries(const struct race_vc_entry *a, uint32_t block, uint32_t key)
{
    if (a->block != block)
        return a->block < block ? -1 : 1;
    return a->key < key ? -1 : a->key > key;
}

/* Index of the first entry that is not before (block, key). */
static uint32_t
vc_bound(const struct race_vc *vc, uint32_t block, uint32_t key)
{
    uint32_t low = 0, high = vc->count;

    while (low < high) {
        uint32_t mid = (low + high) / 2;

        if (compare_entries(&vc->entries[mid], block, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint32_t
vc_get(const struct race_vc *vc, uint32_t block, uint32_t key, bool is_read)
{
    uint32_t i = vc_bound(vc, block, key);

    if (i == vc->count || compare_entries(&vc->entries[i], block, key) != 0)
        return 0;
    return is_read ? vc->entries[i].reads : vc->entries[i].stamp;
}

static void
take_larger(struct race_vc_entry *e, const struct race_vc_entry *other)
{
    if (e->stamp < other->stamp)
        e->stamp = other->stamp;
    if (e->reads < other->reads)
        e->reads = other->reads;
}

static bool
vc_room(struct race_vc *vc, uint32_t count)
{
    struct race_vc_entry *entries;
    uint32_t max = vc->max != 0 ? vc->max : 8;

    if (count <= vc->max)
        return true;
    while (max < count)
        max *= 2;
    entries = realloc(vc->entries, max * sizeof *entries);
    if (entries == NULL)
        return false;
    vc->entries = entries;
    vc->max = max;
    return true;
}

static void
vc_put(struct race *r, struct race_vc *vc, uint32_t block, uint32_t key, uint32_t stamp)
{
    struct race_vc_entry e = {block, key, stamp, stamp};
    uint32_t i = vc_bound(vc, block, key);

    if (i < vc->count && compare_entries(&vc->entries[i], block, key) == 0) {
        take_larger(&vc->entries[i], &e);
        return;
    }
    if (!vc_room(vc, vc->count + 1)) {
        r->blind = true;
        return;
    }
    memmove(&vc->entries[i + 1], &vc->entries[i], (vc->count - i) * sizeof *vc->entries);
    vc->entries[i] = e;
    vc->count++;
}

/* Everybody is known up to the stamp: entries that say less go. */
static void
vc_raise(struct race_vc *vc, uint32_t all)
{
    uint32_t kept = 0;

    vc->all = all;
    for (uint32_t i = 0; i < vc->count; i++)
        if (vc->entries[i].reads > all)
            vc->entries[kept++] = vc->entries[i];
    vc->count = kept;
}

/* to = the larger of both, everywhere. */
static void
vc_join(struct race *r, struct race_vc *to, const struct race_vc *from)
{
    struct race_vc out = {.all = to->all > from->all ? to->all : from->all};
    uint32_t i = 0, k = 0;

    out.all_reads = to->all_reads > from->all_reads ? to->all_reads : from->all_reads;
    r->work += to->count + from->count;
    if (from->count == 0) {
        to->all_reads = out.all_reads;
        if (out.all > to->all)
            vc_raise(to, out.all);
        return;
    }
    if (!vc_room(&out, to->count + from->count) || out.entries == NULL) {
        r->blind = true;
        return;
    }
    while (i < to->count || k < from->count) {
        struct race_vc_entry e;
        int order = i == to->count ? 1
                    : k == from->count
                        ? -1
                        : compare_entries(&to->entries[i], from->entries[k].block,
                                          from->entries[k].key);

        e = order <= 0 ? to->entries[i] : from->entries[k];
        if (order == 0)
            take_larger(&e, &from->entries[k]);
        i += order <= 0;
        k += order >= 0;
        if (e.reads > out.all)
            out.entries[out.count++] = e;
    }
    free(to->entries);
    *to = out;
}

static void
vc_free(struct race_vc **vc)
{
    if (*vc != NULL)
        free((*vc)->entries);
    free(*vc);
    *vc = NULL;
}

static struct race_vc *
vc_at(struct race *r, struct race_vc **vc)
{
    if (*vc == NULL)
        *vc = calloc(1, sizeof **vc);
    if (*vc == NULL)
        r->blind = true;
    return *vc;
}

static void
vc_join_at(struct race *r, struct race_vc **to, const struct race_vc *from)
{
    if (from != NULL && vc_at(r, to) != NULL)
        vc_join(r, *to, from);
}

/* --- questions -----------------------------------------------------------------------
 */

/* All blocks of the grid are known up to the stamp. */
static bool
vc_knows_grid(const struct race_vc *vc, uint64_t blocks, uint32_t stamp, bool is_read)
{
    uint64_t known = 0;

    for (uint32_t i = 0; i < vc->count; i++) {
        const struct race_vc_entry *e = &vc->entries[i];

        known += e->key == VC_ALL && (is_read ? e->reads : e->stamp) > stamp;
    }
    return known >= blocks;
}

static bool
vc_knows(const struct race *r, const struct race_vc *vc, const struct race_record *rec,
         bool is_read)
{
    if (vc == NULL)
        return false;
    if (vc->all > rec->stamp || (is_read && vc->all_reads > rec->stamp))
        return true;
    if (rec->scope == RACE_GRID)
        return vc_knows_grid(vc, r->run->block_total, rec->stamp, is_read);
    if (vc_get(vc, rec->block, VC_ALL, is_read) > rec->stamp)
        return true;
    if (rec->scope == RACE_BLOCK)
        return vc_get(vc, rec->block, VC_WARP + rec->warp, is_read) > rec->stamp &&
               vc_get(vc, rec->block, VC_WARP + rec->other_warp, is_read) > rec->stamp;
    if (vc_get(vc, rec->block, VC_WARP + rec->warp, is_read) > rec->stamp)
        return true;
    for (uint32_t m = rec->lanes; m != 0; m &= m - 1)
        if (vc_get(vc, rec->block, rec->warp * LANES + (uint32_t)__builtin_ctz(m),
                   is_read) <= rec->stamp)
            return false;
    return true;
}

static bool
seen_in_warp(const struct race_warp *rw, unsigned lane, const struct race_record *r)
{
    if (rw->seen == NULL)
        return false;
    for (uint32_t m = r->lanes & ~(1u << lane); m != 0; m &= m - 1)
        if (rw->seen[lane][__builtin_ctz(m)] <= r->stamp)
            return false;
    return true;
}

bool
race_knows(const struct warp *w, unsigned lane, const struct race_record *r, bool is_read)
{
    const struct race_block *rb = w->block->race;
    const struct race_warp *rw = &rb->warps[w->index];

    if (r->block == (uint32_t)w->block->number && r->scope == RACE_WARP &&
        r->warp == w->index && (seen_in_warp(rw, lane, r) || r->lanes == 1u << lane))
        return true;
    return vc_knows(rb->race, rw->lane_vc[lane], r, is_read) ||
           vc_knows(rb->race, rw->vc, r, is_read) ||
           vc_knows(rb->race, rb->vc, r, is_read);
}

/* --- meetings of a warp's lanes --------------------------------------------------------
 */

static void
step(struct race_warp *rw, struct race *r)
{
    rw->stamp = ++r->now;
}

/* What lanes have learnt, all of them know now. */
static void
gather_lanes(struct race *r, struct race_warp *rw)
{
    for (unsigned i = 0; i < LANES; i++) {
        vc_join_at(r, &rw->vc, rw->lane_vc[i]);
        vc_free(&rw->lane_vc[i]);
    }
}

static void
meet_some(const struct warp *w, uint32_t floor, uint32_t mask)
{
    struct race *r = w->block->race->race;
    struct race_warp *rw = &w->block->race->warps[w->index];
    uint32_t together[LANES];
    struct race_vc *learnt = NULL;

    w->block->race->has_clocks = true;
    if (rw->seen == NULL) {
        rw->seen = malloc(LANES * sizeof *rw->seen);
        if (rw->seen == NULL) {
            r->blind = true;
            return;
        }
        for (unsigned t = 0; t < LANES; t++)
            for (unsigned u = 0; u < LANES; u++)
                rw->seen[t][u] = floor;
    }
    memset(together, 0, sizeof together);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned t = (unsigned)__builtin_ctz(m);

        for (unsigned u = 0; u < LANES; u++)
            if (rw->seen[t][u] > together[u])
                together[u] = rw->seen[t][u];
        vc_join_at(r, &learnt, rw->lane_vc[t]);
    }
    for (uint32_t m = mask; m != 0; m &= m - 1)
        together[__builtin_ctz(m)] = r->now + 1;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        memcpy(rw->seen[__builtin_ctz(m)], together, sizeof together);
        vc_join_at(r, &rw->lane_vc[__builtin_ctz(m)], learnt);
    }
    vc_free(&learnt);
}

void
race_warp_sync(struct warp *w, uint32_t mask)
{
    struct race_block *rb = w->block->race;
    struct race_warp *rw = &rb->warps[w->index];

    if ((w->live & ~mask) == 0) {
        step(rw, rb->race);
        rw->floor = rw->stamp;
        free(rw->seen);
        rw->seen = NULL;
        if (rb->knows)
            gather_lanes(rb->race, rw);
        return;
    }
    if ((mask & (mask - 1)) == 0)
        return; /* alone */
    meet_some(w, rw->floor > rb->floor ? rw->floor : rb->floor, mask);
    step(rw, rb->race);
}

/* --- releases and acquires
 * --------------------------------------------------------------
 */

/* All that a lane knows, into *to; and what it did itself. */
static void
publish(struct warp *w, unsigned lane, struct race_vc *to)
{
    struct race_block *rb = w->block->race;
    struct race_warp *rw = &rb->warps[w->index];
    struct race *r = rb->race;
    uint32_t block = (uint32_t)w->block->number;

    if (r->work > MAX_WORK) {
        to->all = r->now + 1;
        to->count = 0;
        return;
    }
    if (rb->vc != NULL)
        vc_join(r, to, rb->vc);
    if (rw->vc != NULL)
        vc_join(r, to, rw->vc);
    if (rw->lane_vc[lane] != NULL)
        vc_join(r, to, rw->lane_vc[lane]);
    vc_put(r, to, block, VC_ALL, rb->floor);
    if (rw->floor > rb->floor)
        vc_put(r, to, block, VC_WARP + w->index, rw->floor);
    for (unsigned u = 0; rw->seen != NULL && u < LANES; u++)
        if (rw->seen[lane][u] > rw->floor && rw->seen[lane][u] > rb->floor)
            vc_put(r, to, block, w->index * LANES + u, rw->seen[lane][u]);
    vc_put(r, to, block, w->index * LANES + lane, r->now + 1);
    r->work += to->count / 8 + 8;
}

/* The same of reads only. What a thread has read it has read before it stores what others
 * may see, as a rule because the value depends on it: a scan's block tells its count by a
 * relaxed store and the next block overwrites what it was counted from. */
static void
publish_reads(struct warp *w, unsigned lane, struct race_vc *to)
{
    struct race_vc reads = {0};

    publish(w, lane, &reads);
    if (reads.all_reads < reads.all)
        reads.all_reads = reads.all;
    reads.all = 0;
    for (uint32_t i = 0; i < reads.count; i++)
        reads.entries[i].stamp = 0;
    vc_join(w->block->race->race, to, &reads);
    free(reads.entries);
}

static struct race_sync *
sync_find(struct race *r, const struct block *b, uint64_t address, bool make)
{
    bool shared = address - SHARED_WINDOW < WINDOW_BYTES;
    uint64_t block = shared ? cluster_owner(b, &address) + 1 : 0;
    uint64_t hash = (address + block * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;

    if (r->sync_count == 0 && !make)
        return NULL;
    for (uint32_t i = (uint32_t)(hash >> 48);; i++) {
        struct race_sync *s = &r->syncs[i % RACE_SYNC_MAX];

        if (s->vc != NULL && s->address == address && s->block == block)
            return s;
        if (s->vc != NULL)
            continue;
        if (!make)
            return NULL;
        if (r->sync_count >= RACE_SYNC_MAX / 2 || vc_at(r, &s->vc) == NULL) {
            r->blind = true;
            return NULL;
        }
        s->address = address;
        s->block = block;
        r->sync_count++;
        return s;
    }
}

void
race_syncs_reset(struct race *r)
{
    for (uint32_t i = 0; i < RACE_SYNC_MAX && r->sync_count > 0; i++) {
        if (r->syncs[i].vc == NULL)
            continue;
        vc_free(&r->syncs[i].vc);
        r->sync_count--;
    }
}

void
race_fence(struct warp *w)
{
    w->block->race->fenced = true;
}

void
race_release(struct warp *w, unsigned lane, uint64_t address, enum race_publishes how)
{
    struct race_block *rb = w->block->race;
    struct race *r = rb->race;
    bool all = rb->fenced || how == RACE_EVERYTHING;
    struct race_sync *s;

    if ((!all && how == RACE_IF_FENCED) || r->blind)
        return;
    /* That of many locations some publish no reads leaves the others their place. */
    s = sync_find(r, w->block, address, all || r->sync_count < RACE_SYNC_MAX / 4);
    if (s == NULL)
        return;
    if (all)
        publish(w, lane, s->vc);
    else
        publish_reads(w, lane, s->vc);
    step(&rb->warps[w->index], r);
}

static void
learn(struct warp *w, uint32_t mask, const struct race_vc *vc)
{
    struct race_block *rb = w->block->race;
    struct race_warp *rw = &rb->warps[w->index];

    rb->knows = rb->has_clocks = true;
    if ((w->live & ~mask) == 0) {
        vc_join_at(rb->race, &rw->vc, vc);
        return;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1)
        vc_join_at(rb->race, &rw->lane_vc[__builtin_ctz(m)], vc);
}

void
race_acquire(struct warp *w, unsigned lane, uint64_t address)
{
    struct race *r = w->block->race->race;
    const struct race_sync *s = sync_find(r, w->block, address, false);

    if (s != NULL && !r->blind)
        learn(w, 1u << lane, s->vc);
}

/* --- barriers of the block -----------------------------------------------------------
 */

void
race_barrier_arrive(struct warp *w, uint32_t id, uint32_t mask)
{
    struct race_block *rb = w->block->race;
    struct race_warp *rw = &rb->warps[w->index];
    struct race_vc *vc = vc_at(rb->race, &rb->barriers[id]);

    if (vc == NULL)
        return;
    rb->has_clocks = true;
    if ((w->live & ~mask) == 0) { /* the usual case: one entry for the whole warp */
        gather_lanes(rb->race, rw);
        publish(w, (unsigned)__builtin_ctz(mask), vc);
        vc_put(rb->race, vc, (uint32_t)w->block->number, VC_WARP + w->index,
               rb->race->now + 1);
    } else {
        for (uint32_t m = mask; m != 0; m &= m - 1)
            publish(w, (unsigned)__builtin_ctz(m), vc);
    }
    step(rw, rb->race);
}

void
race_barrier_whole(struct block *b, uint32_t id)
{
    struct race_block *rb = b->race;

    rb->floor = ++rb->race->now;
    vc_free(&rb->barriers[id]);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct race_warp *rw = &rb->warps[i];

        free(rw->seen);
        rw->seen = NULL;
        if (!rb->knows)
            continue;
        gather_lanes(rb->race, rw);
        vc_join_at(rb->race, &rb->vc, rw->vc);
        vc_free(&rw->vc);
    }
}

void
race_barrier_leave(struct warp *w, uint32_t id, uint32_t mask)
{
    struct race_block *rb = w->block->race;

    if (rb->barriers[id] != NULL)
        learn(w, mask, rb->barriers[id]);
}

void
race_barrier_done(struct block *b, uint32_t id)
{
    vc_free(&b->race->barriers[id]);
}

void
race_clock_reset(struct race_block *rb)
{
    for (unsigned i = 0; i < 32; i++)
        rb->warps[i].floor = rb->warps[i].stamp = 0;
    for (unsigned i = 0; i < 32 && rb->has_clocks; i++) {
        struct race_warp *rw = &rb->warps[i];

        vc_free(&rw->vc);
        for (unsigned k = 0; k < LANES; k++)
            vc_free(&rw->lane_vc[k]);
        free(rw->seen);
        *rw = (struct race_warp){0};
    }
    vc_free(&rb->vc);
    for (unsigned i = 0; i < BARRIERS; i++)
        vc_free(&rb->barriers[i]);
    rb->fenced = rb->knows = rb->has_clocks = false;
}
