/* Control flow of a warp: its paths and its branches. warp.h explains the scheme. */
#include "cluster.h"
#include "cost/count.h"
#include "ops/async.h"
#include "ops/sync.h"
#include "ops/undefined.h"
#include "warp_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __clang__
/* Masks and positions are written one at a time and read again at once. Where gcc reads
 * two of them as one vector, the processor waits until both have reached its cache. */
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

enum {
    SPIN_COST = 128
}; /* what a backward branch costs in a loop that waits for something */

/* --- order of paths ----------------------------------------------------- */

/* Compares two places of one warp. Deeper frames are compared by their call sites, so
 * that a path inside a call is before one that has returned from it. */
static int
compare_places(const struct frame *fa, const struct insn *a, const struct frame *fb,
               const struct insn *b)
{
    bool a_inside = false, b_inside = false;

    for (; fa->depth > fb->depth; fa = fa->parent) {
        a = fa->call_site;
        a_inside = true;
    }
    for (; fb->depth > fa->depth; fb = fb->parent) {
        b = fb->call_site;
        b_inside = true;
    }
    for (; fa != fb; fa = fa->parent, fb = fb->parent) {
        a = fa->call_site;
        b = fb->call_site;
    }
    if (a != b)
        return a < b ? -1 : 1;
    return b_inside - a_inside; /* at one call, the path inside it comes first */
}

static bool
path_before(const struct path *a, const struct path *b)
{
    if (a->epoch != b->epoch)
        return a->epoch < b->epoch;
    return compare_places(a->frame, a->pc, b->frame, b->pc) < 0;
}

void
warp_set_next_stop(struct warp *w, const struct insn *pc)
{
    const struct insn *stop = (const struct insn *)UINTPTR_MAX;
    const struct frame *here = w->frame;

    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *s = &w->paths[i];
        const struct frame *f = s->frame;
        const struct insn *at = s->pc;

        if (s->state != PATH_READY)
            continue;
        for (; f->depth > here->depth; f = f->parent) /* the first frame has depth 0 */
            at = f->call_site;
        if (f == here && at > pc && at < stop)
            stop = at;
    }
    w->next_stop = stop;
}

/* Copies field by field, for the reason above. */
static inline void
copy_path(struct path *to, const struct path *from)
{
    to->pc = from->pc;
    to->frame = from->frame;
    to->mask = from->mask;
    to->epoch = from->epoch;
    to->state = from->state;
    to->barrier = from->barrier;
    to->sync_mask = from->sync_mask;
    to->sync_kind = from->sync_kind;
}

struct path *
warp_park(struct warp *w, const struct insn *pc, enum path_state state)
{
    struct path *s = &w->paths[w->path_count++];

    *s = (struct path){
        .pc = pc, .frame = w->frame, .mask = w->mask, .epoch = w->epoch, .state = state};
    w->mask = 0;
    w->stop = STOP_RESCHEDULE;
    return s;
}

/* Runs the first ready path, merged with all that stand at its place. NULL: none is
 * ready. */
static const struct insn *
warp_schedule(struct warp *w)
{
    const struct path *best = NULL;
    struct path chosen;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *s = &w->paths[i];

        if (s->state == PATH_READY && (best == NULL || path_before(s, best)))
            best = s;
    }
    if (best == NULL)
        return NULL;
    chosen = *best;
    chosen.mask = 0;
    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *s = &w->paths[i];

        if (s->state == PATH_READY && s->pc == chosen.pc && s->frame == chosen.frame)
            chosen.mask |= s->mask;
        else if (kept++ != i)
            copy_path(&w->paths[kept - 1], s);
    }
    w->path_count = kept;
    w->mask = chosen.mask;
    w->frame = chosen.frame;
    w->regs = chosen.frame->regs;
    w->epoch = kept != 0 ? chosen.epoch : 0;
    w->stop = STOP_NONE;
    warp_set_next_stop(w, chosen.pc);
    return chosen.pc;
}

void
warp_run(struct warp *w)
{
    const struct insn *in;

    w->stop = STOP_NONE;
    while (w->stop != STOP_FAULT && w->stop != STOP_YIELD &&
           (in = warp_schedule(w)) != NULL) {
        if (w->undefined != NULL)
            in = undefined_run(w, in);
        while (in != NULL)
            in = in->fn(w, in);
    }
}

/* --- headers, jumps, branches -------------------------------------------- */

static inline __attribute__((always_inline)) void
tally(struct warp *w, uint32_t index, uint32_t mask)
{
    struct tally *t = &w->worker->tallies[index];

    t->count++;
    t->lanes += lane_count(mask);
}

/* The usual meeting: one other path is left, and it waits here. */
static bool
meets_last(struct warp *w, const struct insn *in)
{
    const struct path *s = &w->paths[0];

    if (w->path_count != 1 || s->pc != in || s->frame != w->frame ||
        s->state != PATH_READY)
        return false;
    w->mask |= s->mask;
    w->path_count = 0;
    w->epoch = 0;
    w->next_stop = (const struct insn *)UINTPTR_MAX;
    return true;
}

/* The header of a run: x = tally, y = the instructions of the run, c = its issue slots.
 * The first run of a region (critical.c) has d = 1. On the region's path are a cycles and
 * b loads, or paths says which of several it may be. */
const struct insn *
op_run(struct warp *w, const struct insn *in)
{
    if (in >= w->next_stop && !meets_last(w, in)) {
        const struct insn *pc;

        warp_park(w, in, PATH_READY);
        pc = warp_schedule(w);
        if (pc == NULL || pc != in)
            return pc;
    }
    tally(w, in->x, w->mask);
    w->clock += in->y;
    w->path_clock.issue += in->c;
    if (in->d != 0) {
        if (w->missed != 0 || w->ahead != NULL)
            clock_settle(w);
        w->ahead = in->paths;
        if (in->paths == NULL)
            clock_advance(w, in->a, in->b);
    }
    return in + 1;
}

/* Looks at budgets and interruption. NULL: the warp stops here. */
static const struct insn *
out_of_branches(struct warp *w, const struct insn *in, const struct insn *target)
{
    w->branch_budget = BRANCH_BUDGET;
    if (budget_check(w, in) != 0)
        return NULL;
    w->epoch++;
    warp_park(w, target, PATH_READY);
    w->stop = STOP_YIELD;
    return NULL;
}

static const struct insn *
go_to(struct warp *w, const struct insn *in, const struct insn *target)
{
    if (target <= in) {
        w->branch_budget -= w->spinning ? SPIN_COST : 1;
        w->spinning = false;
        if (w->branch_budget <= 0)
            return out_of_branches(w, in, target);
        if (w->path_count != 0)
            warp_set_next_stop(w, target - 1);
    }
    return target;
}

const struct insn *
op_jump(struct warp *w, const struct insn *in)
{
    return go_to(w, in, in->target);
}

/* bra: a = predicate, b = site, x = 1: the branch is taken where the predicate is false.
 * It goes to target, or falls through to in + 1. */
const struct insn *
op_bra(struct warp *w, const struct insn *in)
{
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->a);
    uint32_t taken = w->mask & (in->x != 0 ? ~p : p);

    if (taken == w->mask)
        return go_to(w, in, in->target);
    if (taken == 0)
        return in + 1;
    site_counts(w, in->b)->divergent_branches++;
    if (in->target > in) { /* the lanes that do not take it are lower, and go on */
        uint32_t rest = w->mask & ~taken;

        w->mask = taken;
        warp_park(w, in->target, PATH_READY);
        w->mask = rest;
        w->stop = STOP_NONE;
        if (in->target < w->next_stop)
            w->next_stop = in->target;
        return in + 1;
    }
    w->mask &= ~taken;
    warp_park(w, in + 1, PATH_READY);
    w->mask = taken;
    w->stop = STOP_NONE;
    if (go_to(w, in, in->target) == NULL)
        return NULL;
    warp_park(w, in->target, PATH_READY);
    return NULL; /* the dispatch loop schedules the lower of the two */
}

/* brx.idx: a = lane vector of the index, b = site, extra->table. Lanes with one target go
 * together. */
const struct insn *
op_brx(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    const uint32_t *index = (const uint32_t *)(const void *)(w->regs + in->a);
    uint32_t left = w->mask;
    unsigned targets = 0;

    while (left != 0) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t same = 0;

        if (index[lane] >= e->count)
            return fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                            "a branch table of %u entries is used with index %u",
                            e->count, index[lane]);
        for (uint32_t m = left; m != 0; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);

            if (index[i] < e->count && e->table[index[i]] == e->table[index[lane]])
                same |= 1u << i;
        }
        left &= ~same;
        w->mask = same;
        warp_park(w, e->table[index[lane]], PATH_READY);
        if (targets++ != 0)
            site_counts(w, in->b)->divergent_branches++;
    }
    if (--w->branch_budget <= 0) {
        w->branch_budget = BRANCH_BUDGET;
        if (budget_check(w, in) != 0)
            return NULL;
    }
    return NULL;
}

/* A guarded instruction has stopped the warp. Either that is a fault, or the warp is held
 * (order.h). Then all lanes come to the guard again. */
static const struct insn *
guard_held(struct warp *w, const struct insn *guard, uint32_t active, uint32_t all)
{
    struct tally *t = &w->worker->tallies[guard->x];
    struct path *parked;

    if (w->stop != STOP_YIELD)
        return NULL;
    parked = &w->paths[w->path_count - 1];
    t->count--;
    t->lanes -= lane_count(active);
    parked->pc = guard;
    parked->mask = all;
    return NULL;
}

/* A guard of one instruction that cannot park: x = tally, y = negated, a = predicate. */
const struct insn *
op_guard(struct warp *w, const struct insn *in)
{
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->a);
    uint32_t all = w->mask, active = all & (in->y != 0 ? ~p : p);
    const struct insn *next;

    if (active == 0)
        return in + 2;
    tally(w, in->x, active);
    w->mask = active;
    next = in[1].fn(w, in + 1);
    if (next == NULL)
        return guard_held(w, in, active, all);
    w->mask = all;
    return in + 2;
}

/* The same for the b instructions behind it, into which one of the text was decoded. */
const struct insn *
op_guard_several(struct warp *w, const struct insn *in)
{
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->a);
    uint32_t all = w->mask, active = all & (in->y != 0 ? ~p : p);

    if (active == 0)
        return in + 1 + in->b;
    tally(w, in->x, active);
    w->mask = active;
    for (uint32_t i = 1; i <= in->b; i++)
        if (in[i].fn(w, in + i) == NULL)
            return guard_held(w, in, active, all);
    w->mask = all;
    return in + 1 + in->b;
}

const struct insn *
op_unsupported(struct warp *w, const struct insn *in)
{
    const struct ptx_insn *origin = in->extra->origin;

    return fault_at(w, in, (unsigned)__builtin_ctz(w->mask), FAULT_PTX_UNSUPPORTED,
                    "the instruction %s is not supported by the emulated GPU%s%s",
                    origin->text, in->extra->reason != NULL ? ": " : "",
                    in->extra->reason != NULL ? in->extra->reason : "");
}

/* --- life -------------------------------------------------------------- */

struct warp *
warp_get(struct worker *wk)
{
    struct warp *w = wk->free_warps;
    const struct program *p = wk->run->kernel->programs;
    struct frame *f;

    if (w != NULL) {
        wk->free_warps = w->next_free;
        return w;
    }
    w = calloc(1, sizeof *w);
    f = frame_new(p);
    if (w == NULL || f == NULL) {
        free(w);
        if (f != NULL)
            frame_free(f);
        return NULL;
    }
    w->worker = wk;
    w->root_regs = f->regs;
    free(f);
    if (local_reserve(w, (uint64_t)p->local_bytes + 16) != 0) {
        warp_destroy(w);
        return NULL;
    }
    return w;
}

/* A warp finds nothing that the warp before it has left in registers or local memory. On
 * a GPU anything may be there. */
static void
clear_leftovers(struct warp *w)
{
    const struct program *p = w->root.program;

    for (const struct unwritten *u = p->unwritten; u != NULL; u = u->next)
        memset(w->root_regs + u->vector, 0, u->bytes);
    local_clear(w, 0, p->local_bytes, FULL_MASK);
}

void
warp_start(struct warp *w, struct block *b, uint32_t index)
{
    const struct program *p = w->worker->run->kernel->programs;
    uint32_t threads = b->threads - index * LANES;

    w->root = (struct frame){.program = p, .regs = w->root_regs};
    w->block = b;
    w->index = index;
    w->cluster_arrived = 0;
    copies_reset(w);
    undefined_end(w);
    w->acted = 0;
    w->live = threads >= LANES ? FULL_MASK : (1u << threads) - 1;
    w->root.mask = w->live;
    w->branch_budget = BRANCH_BUDGET;
    w->spinning = false;
    w->epoch = 0;
    w->clock = w->clock_base = 0;
    w->path_clock = b->begin;
    w->met = clock_cycles(&b->begin);
    w->held = false;
    w->polled = NULL;
    w->ahead = NULL;
    memset(w->path_loads, 0, sizeof w->path_loads);
    w->missed = 0;
    w->seen_ready = 0;
    w->frame = &w->root;
    w->regs = w->root.regs;
    w->mask = w->live;
    w->path_count = 0;
    w->stop = STOP_NONE;
    frame_fill(w, &w->root,
               !w->filled                   ? PER_LAUNCH
               : w->filled_for != b->number ? PER_BLOCK
                                            : PER_WARP);
    w->filled = true;
    w->filled_for = b->number;
    clear_leftovers(w);
    warp_park(w, p->insns, PATH_READY);
}

void
warp_put(struct warp *w)
{
    w->next_free = w->worker->free_warps;
    w->worker->free_warps = w;
}

/* The frames that a fault has left behind go with the warp. */
void
warp_destroy(struct warp *w)
{
    struct frame *next;

    for (struct frame *f = w->frames; f != NULL; f = next) {
        next = f->next;
        free(f->regs);
        free(f);
    }
    copies_free(w);
    undefined_end(w);
    free(w->root_regs);
    free(w->local);
    free(w);
}
