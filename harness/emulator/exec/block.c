/*
 * A block: its warps take turns in order. A turn lasts until the warp has parked all its
 * paths, has used up its branch budget, or ends. Barriers count the threads that have not
 * exited (PTX ISA 9.7.13.1).
 */
#include "cluster.h"
#include "links.h"
#include "machine.h"
#include "race/race.h"
#include "source.h"
#include "warp_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES_BEFORE_YIELD = 4,
    WARP_COST = 16, /* instructions that the begin and end of a warp count as */
};

struct block *
block_get(struct worker *wk, uint64_t number)
{
    struct block *b = wk->free_blocks;
    const struct run *r = wk->run;

    if (b != NULL) {
        wk->free_blocks = b->next;
    } else {
        size_t size =
            r->shared_bytes != 0 ? ((size_t)r->shared_bytes + 63) & ~(size_t)63 : 64;

        b = calloc(1, sizeof *b);
        if (b == NULL)
            return NULL;
        b->shared = aligned_alloc(64, size);
        if (r->checks)
            b->shared_shadow = malloc(size);
        if (wk->machine->race != NULL && r->checks)
            b->race = race_block_new(wk->machine->race);
        if (b->shared == NULL || (r->checks && b->shared_shadow == NULL)) {
            block_destroy(b);
            return NULL;
        }
    }
    b->worker = wk;
    b->next = NULL;
    b->number = number;
    cluster_place(r, number, b->id);
    b->threads = b->live_threads = r->threads_per_block;
    b->warp_count = r->warps_per_block;
    b->warps_done = 0;
    b->ended = b->awaiting = 0;
    b->left.in = NULL;
    b->shared_bytes = r->shared_bytes;
    memset(b->warps, 0, sizeof b->warps);
    if (b->has_barriers)
        memset(b->barriers, 0, sizeof b->barriers);
    b->has_barriers = false;
    b->cost = (struct block_cost){0};
    b->begin = (struct warp_clock){0};
    if (b->has_mbarriers)
        memset(b->mbarriers, 0, sizeof b->mbarriers);
    b->has_mbarriers = false;
    memset(b->shared, 0, b->shared_bytes);
    if (b->shared_shadow != NULL)
        memset(b->shared_shadow, 0, b->shared_bytes);
    if (b->shared_shadow != NULL && r->kernel->reserved_shared)
        memset(b->shared_shadow + r->reserved_offset, 1, RESERVED_SHARED);
    if (b->race != NULL)
        race_block_begin(b);
    if (links_block(b) != 0) {
        block_destroy(b);
        return NULL;
    }
    b->l1_stamp++; /* calloc made stamp 0 that of no block; it wraps after 2^32 blocks */
    return b;
}

void
block_put(struct block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (b->warps[i] != NULL)
            warp_put(b->warps[i]);
    flights_drop(b->worker, b->shared, b->shared_bytes);
    cluster_leave(b);
    b->next = b->worker->free_blocks;
    b->worker->free_blocks = b;
}

void
block_destroy(struct block *b)
{
    free(b->shared);
    free(b->shared_shadow);
    free(b->shared_tags);
    race_block_free(b->race);
    free(b);
}

/* --- barriers ---------------------------------------------------------- */

/* A thread that has done nothing yet may end (`if (i >= n) return;`), although others
 * come to barriers: GPUs allow it, and so do we. Of a kernel whose whole rest stands
 * behind one condition nvcc makes the same PTX. */
void
barrier_note_exit(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    uint32_t acted = w->mask & w->acted;

    if (b->left.in != NULL || acted == 0)
        return;
    b->left.in = in;
    b->left.program = w->frame->program;
    b->left.thread = w->index * LANES + (unsigned)__builtin_ctz(acted);
}

const char *
barrier_rule(const struct module *mod, const struct ptx_insn *in)
{
    return source_is_grid_sync(mod, in)
               ? "grid.sync() may stand only where all threads of all blocks come: in no "
                 "branch, and behind no return"
               : "__syncthreads() may stand only where all threads of the block come";
}

/* A barrier of all threads is complete, but only because some threads have ended. */
static void
notice_missed(struct warp *w, const struct path *s)
{
    const struct block *b = w->block;
    const uint32_t *dim = w->worker->run->launch->block;
    struct fault f = {.kind = FAULT_DIVERGENT_BARRIER};
    struct frame *frame = w->frame;
    uint32_t t = b->left.thread;

    f.other_thread[0] = t % dim[0];
    f.other_thread[1] = t / dim[0] % dim[1];
    f.other_thread[2] = t / dim[0] / dim[1];
    source_of(w->worker->run->kernel->module, origin_in(b->left.program, b->left.in),
              f.other_file, sizeof f.other_file, &f.other_line);
    snprintf(
        f.text, sizeof f.text,
        "divergent barrier: waits here, but thread (%u,%u,%u) of the block ends at "
        "line %d without coming to this barrier; a GPU lets it pass, but %s",
        f.other_thread[0], f.other_thread[1], f.other_thread[2], f.other_line,
        barrier_rule(w->worker->run->kernel->module,
                     s->frame->program->origin[s->pc - 1 - s->frame->program->insns]));
    w->frame = s->frame;
    notice_add(w, s->pc - 1, (unsigned)__builtin_ctz(s->mask), &f);
    w->frame = frame;
}

/* Lets all paths go on that wait at a barrier that is complete. */
void
barrier_check(struct block *b, uint32_t id)
{
    struct barrier *bar = &b->barriers[id];
    uint32_t expected = bar->expected != 0 ? bar->expected : b->live_threads;

    if ((b->awaiting >> id & 1) == 0 || bar->arrived < expected)
        return;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = b->warps[i];

        for (uint32_t s = 0; w != NULL && s < w->path_count; s++)
            if (w->paths[s].state == PATH_AT_BARRIER && w->paths[s].barrier == id) {
                w->paths[s].state = PATH_READY;
                clock_meet(w, &bar->latest);
                if (b->left.in != NULL && bar->expected == 0)
                    notice_missed(w, &w->paths[s]);
                if (b->race != NULL && bar->expected != 0)
                    race_barrier_leave(w, id, w->paths[s].mask);
                barrier_result(&w->paths[s], bar);
            }
    }
    if (b->race != NULL && bar->expected == 0)
        race_barrier_whole(b, id);
    else if (b->race != NULL)
        race_barrier_done(b, id);
    bar->arrived = 0;
    bar->expected = 0;
    bar->latest = (struct warp_clock){0};
    b->awaiting &= ~(1u << id);
}

void
barriers_recheck(struct block *b)
{
    for (uint32_t left = b->awaiting; left != 0; left &= left - 1) {
        uint32_t id = (uint32_t)__builtin_ctz(left);

        if (b->barriers[id].expected == 0)
            barrier_check(b, id);
    }
}

/* --- deadlock ---------------------------------------------------------- */

static void
describe_wait(const struct warp *w, const struct path *s, char *out, size_t size)
{
    char file[64];
    int line;
    const struct program *p = s->frame->program;
    /* The position of a path at a barrier is behind the barrier. */
    const struct ptx_insn *origin =
        p->origin[s->pc - p->insns - (s->state == PATH_AT_BARRIER ? 1 : 0)];

    source_of(w->worker->run->kernel->module, origin, file, sizeof file, &line);
    snprintf(out, size, "%u threads of warp %u wait at %s (%s:%d)",
             (unsigned)__builtin_popcount(s->mask), w->index,
             origin != NULL ? origin->text : "a barrier", file, line);
}

/* No thread can go on. Names two different things for which threads wait, if there are
 * two. */
void
fault_deadlock(struct block *b)
{
    char first[200] = "", second[200] = "";
    struct warp *at = NULL;
    const struct path *path = NULL;

    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = b->warps[i];

        for (uint32_t s = 0; w != NULL && s < w->path_count; s++) {
            if (path == NULL) {
                at = w;
                path = &w->paths[s];
                describe_wait(w, path, first, sizeof first);
            } else if (w->paths[s].pc != path->pc) {
                describe_wait(w, &w->paths[s], second, sizeof second);
            }
        }
    }
    if (path == NULL)
        return;
    at->frame = path->frame;
    fault_at(
        at, path->pc, (unsigned)__builtin_ctz(path->mask), FAULT_BARRIER,
        "the block can't go on: %s%s%s; not all threads that are waited for will come",
        first, second[0] != '\0' ? " and " : "", second);
}

/* --- running ----------------------------------------------------------- */

static bool
warp_is_ready(const struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].state == PATH_READY)
            return true;
    return false;
}

/* Gives warp i one turn. */
static enum stop
run_warp(struct block *b, uint32_t i, bool *ran)
{
    struct warp *w = b->warps[i];

    if (w == NULL) {
        w = warp_get(b->worker);
        if (w == NULL) {
            fault_text(&b->worker->fault, FAULT_OUT_OF_MEMORY,
                       "the host has no memory for another warp");
            b->worker->fault_block = b->number;
            return STOP_FAULT;
        }
        b->warps[i] = w;
        warp_start(w, b, i);
    }
    if (!warp_is_ready(w))
        return STOP_NONE;
    *ran = true;
    warp_run(w);
    if (w->stop != STOP_FAULT && w->live == 0) {
        b->warps_done++;
        clock_settle(w);
        clock_await(&b->cost.clock, &w->path_clock);
        b->warps[i] = NULL;
        b->worker->insns_unflushed += w->clock + WARP_COST;
        warp_put(w);
        return STOP_RESCHEDULE;
    }
    return w->stop;
}

/* The clock of a warp that can go on; UINT64_MAX: it can't. */
static uint64_t
warp_due(const struct block *b, uint32_t i)
{
    const struct warp *w = b->warps[i];

    if (b->ended >> i & 1)
        return UINT64_MAX;
    if (w == NULL)
        return clock_cycles(&b->begin);
    return warp_is_ready(w) ? clock_now(w) : UINT64_MAX;
}

uint64_t
block_due(const struct block *b)
{
    uint64_t due = UINT64_MAX;

    for (uint32_t i = 0; i < b->warp_count; i++)
        due = warp_due(b, i) < due ? warp_due(b, i) : due;
    return due;
}

/* The warp that goes on: the first that isn't held, or else the one with the earliest
 * clock. *next: the earliest clock of the others. warp_count: none can. */
static uint32_t
choose_warp(const struct block *b, uint64_t *next)
{
    uint32_t free = b->warp_count, earliest = b->warp_count, chosen;
    uint64_t clocks[32], least = UINT64_MAX;

    for (uint32_t i = 0; i < b->warp_count; i++) {
        clocks[i] = warp_due(b, i);
        if (clocks[i] == UINT64_MAX)
            continue;
        if (free == b->warp_count && (b->warps[i] == NULL || !b->warps[i]->held))
            free = i;
        if (clocks[i] < least) {
            least = clocks[i];
            earliest = i;
        }
    }
    chosen = free != b->warp_count ? free : earliest;
    *next = UINT64_MAX;
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (i != chosen && clocks[i] < *next)
            *next = clocks[i];
    return chosen;
}

enum block_result
block_run_in_order(struct block *b, uint64_t others)
{
    bool ran = false;

    for (;;) {
        uint64_t next, now, *horizon = &b->worker->horizon;
        uint32_t i = choose_warp(b, &next);
        struct warp *w;

        if (b->warps_done == b->warp_count)
            return BLOCK_DONE;
        if (i == b->warp_count && cluster_size(b->worker->run) > 1) {
            b->due = UINT64_MAX;
            b->ran = ran;
            return BLOCK_YIELD;
        }
        if (i == b->warp_count) {
            fault_deadlock(b);
            return BLOCK_FAULT;
        }
        w = b->warps[i];
        now = w != NULL && w->held ? clock_now(w) : 0;
        if (now > others) {
            b->due = now;
            return BLOCK_YIELD;
        }
        *horizon = next < others ? next : others;
        *horizon = now > *horizon ? now : *horizon;
        if (w != NULL)
            w->held = false;
        if (run_warp(b, i, &ran) == STOP_FAULT)
            return BLOCK_FAULT;
        if (b->warps[i] == NULL)
            b->ended |= 1u << i;
        else
            b->warps[i]->held = b->warps[i]->stop == STOP_YIELD;
    }
}

enum block_result
block_run(struct block *b)
{
    bool in_cluster = cluster_size(b->worker->run) > 1;
    bool may_yield = b->worker->run->serial || in_cluster;

    if (b->worker->run->in_order)
        return block_run_in_order(b, UINT64_MAX);
    for (int pass = 0;; pass++) {
        bool ran = false;

        for (uint32_t i = 0; i < b->warp_count; i++) {
            if (b->ended >> i & 1)
                continue;
            if (run_warp(b, i, &ran) == STOP_FAULT)
                return BLOCK_FAULT;
            if (b->warps[i] == NULL)
                b->ended |= 1u << i;
        }
        if (b->warps_done == b->warp_count)
            return BLOCK_DONE;
        if (!ran && in_cluster) { /* another block may let it go on */
            b->ran = pass > 0;
            return BLOCK_YIELD;
        }
        if (!ran) {
            fault_deadlock(b);
            return BLOCK_FAULT;
        }
        b->ran = true;
        if (may_yield && pass >= PASSES_BEFORE_YIELD)
            return BLOCK_YIELD;
    }
}
