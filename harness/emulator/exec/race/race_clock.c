/*
 * What threads know of each other beyond whole barriers. They learn it where some lanes
 * of a warp meet, at barriers of some threads of a block, and by reading what an atomic
 * or volatile store has published. A kernel without these things has no clocks.
 *
 * Vector clocks hold what is known; they are sorted lists (race_vc.c). A lock that
 * thousands of threads take in turn would make these lists long. So when a launch has
 * spent RACE_WORK_MAX on them, each release publishes everything that has happened so
 * far. That can hide a race, but never invents one, and it is the same in every run.
 */
#include "../cluster.h"
#include "race_vc.h"

#include <stdlib.h>
#include <string.h>

/* --- questions --------------------------------------------------------------------- */

/* Are all blocks of the grid known up to the stamp? */
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
    if (race_vc_get(vc, rec->block, VC_ALL, is_read) > rec->stamp)
        return true;
    if (rec->scope == RACE_BLOCK)
        return race_vc_get(vc, rec->block, VC_WARP + rec->warp, is_read) > rec->stamp &&
               race_vc_get(vc, rec->block, VC_WARP + rec->other_warp, is_read) >
                   rec->stamp;
    if (race_vc_get(vc, rec->block, VC_WARP + rec->warp, is_read) > rec->stamp)
        return true;
    for (uint32_t m = rec->lanes; m != 0; m &= m - 1)
        if (race_vc_get(vc, rec->block, rec->warp * LANES + (uint32_t)__builtin_ctz(m),
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

/* --- meetings of a warp's lanes ---------------------------------------------------- */

static void
step(struct race_warp *rw, struct race *r)
{
    rw->stamp = ++r->now;
}

/* Each of these lanes learns what the others know. */
static void
gather_lanes(struct race *r, struct race_warp *rw)
{
    for (unsigned i = 0; i < LANES; i++) {
        race_vc_join_at(r, &rw->vc, rw->lane_vc[i]);
        race_vc_free(&rw->lane_vc[i]);
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
    if (!r->exact)
        race_be_exact(r);
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
        race_vc_join_at(r, &learnt, rw->lane_vc[t]);
    }
    for (uint32_t m = mask; m != 0; m &= m - 1)
        together[__builtin_ctz(m)] = r->now + 1;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        memcpy(rw->seen[__builtin_ctz(m)], together, sizeof together);
        race_vc_join_at(r, &rw->lane_vc[__builtin_ctz(m)], learnt);
    }
    race_vc_free(&learnt);
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

/* --- releases and acquires --------------------------------------------------------- */

/* Adds to *to all that a lane knows, and what it did itself. */
static void
publish(struct warp *w, unsigned lane, struct race_vc *to)
{
    struct race_block *rb = w->block->race;
    struct race_warp *rw = &rb->warps[w->index];
    struct race *r = rb->race;
    uint32_t block = (uint32_t)w->block->number;

    if (r->work > RACE_WORK_MAX) {
        to->all = r->now + 1;
        to->count = 0;
        return;
    }
    if (rb->vc != NULL)
        race_vc_join(r, to, rb->vc);
    if (rw->vc != NULL)
        race_vc_join(r, to, rw->vc);
    if (rw->lane_vc[lane] != NULL)
        race_vc_join(r, to, rw->lane_vc[lane]);
    race_vc_put(r, to, block, VC_ALL, rb->floor);
    if (rw->floor > rb->floor)
        race_vc_put(r, to, block, VC_WARP + w->index, rw->floor);
    for (unsigned u = 0; rw->seen != NULL && u < LANES; u++)
        if (rw->seen[lane][u] > rw->floor && rw->seen[lane][u] > rb->floor)
            race_vc_put(r, to, block, w->index * LANES + u, rw->seen[lane][u]);
    race_vc_put(r, to, block, w->index * LANES + lane, r->now + 1);
    r->work += to->count / 8 + 8;
}

/* The same for reads only. A thread has finished its reads before it stores what others
 * may see, as a rule because the value depends on them. In a scan, a block tells its
 * count by a relaxed store, and the next block overwrites what was counted. */
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
    race_vc_join(w->block->race->race, to, &reads);
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
        if (r->sync_count >= RACE_SYNC_MAX / 2 || race_vc_at(r, &s->vc) == NULL) {
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
        race_vc_free(&r->syncs[i].vc);
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
    /* Where many locations publish, reads alone take no new place. */
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
    if (!rb->race->exact)
        race_be_exact(rb->race);
    if ((w->live & ~mask) == 0) {
        race_vc_join_at(rb->race, &rw->vc, vc);
        return;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1)
        race_vc_join_at(rb->race, &rw->lane_vc[__builtin_ctz(m)], vc);
}

void
race_acquire(struct warp *w, unsigned lane, uint64_t address)
{
    struct race *r = w->block->race->race;
    const struct race_sync *s = sync_find(r, w->block, address, false);

    if (s != NULL && !r->blind)
        learn(w, 1u << lane, s->vc);
}

/* --- barriers of the block --------------------------------------------------------- */

void
race_barrier_arrive(struct warp *w, uint32_t id, uint32_t mask)
{
    struct race_block *rb = w->block->race;
    struct race_warp *rw = &rb->warps[w->index];
    struct race_vc *vc = race_vc_at(rb->race, &rb->barriers[id]);

    if (vc == NULL)
        return;
    rb->has_clocks = true;
    if ((w->live & ~mask) == 0) { /* the usual case: one entry for the whole warp */
        gather_lanes(rb->race, rw);
        publish(w, (unsigned)__builtin_ctz(mask), vc);
        race_vc_put(rb->race, vc, (uint32_t)w->block->number, VC_WARP + w->index,
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
    race_vc_free(&rb->barriers[id]);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct race_warp *rw = &rb->warps[i];

        free(rw->seen);
        rw->seen = NULL;
        if (!rb->knows)
            continue;
        gather_lanes(rb->race, rw);
        race_vc_join_at(rb->race, &rb->vc, rw->vc);
        race_vc_free(&rw->vc);
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
    race_vc_free(&b->race->barriers[id]);
}

void
race_clock_reset(struct race_block *rb)
{
    for (unsigned i = 0; i < 32; i++)
        rb->warps[i].floor = rb->warps[i].stamp = 0;
    for (unsigned i = 0; i < 32 && rb->has_clocks; i++) {
        struct race_warp *rw = &rb->warps[i];

        race_vc_free(&rw->vc);
        for (unsigned k = 0; k < LANES; k++)
            race_vc_free(&rw->lane_vc[k]);
        free(rw->seen);
        *rw = (struct race_warp){0};
    }
    race_vc_free(&rb->vc);
    for (unsigned i = 0; i < BARRIERS; i++)
        race_vc_free(&rb->barriers[i]);
    rb->fenced = rb->knows = rb->has_clocks = false;
}
