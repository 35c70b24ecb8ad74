/*
 * One worker's share of a launch. It takes blocks, gives them turns, and keeps to the
 * limits of the launch.
 *
 * A worker takes chunks of blocks in increasing order from the launch's counter. A kernel
 * whose blocks may wait for each other has one worker, which keeps several blocks under
 * way. Blocks below one with a fault are finished, blocks above it are not begun.
 */
#include "cluster.h"
#include "machine.h"
#include "source.h"
#include "warp_fault.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RESIDENT_BLOCKS = 4096 };

/* --- budgets ------------------------------------------------------------- */

/* The limit that is exceeded: the launch's own, or that of all work (work.h). */
enum excess { EXCESS_NONE, EXCESS_LAUNCH, EXCESS_WORK };

/* Books what the worker has executed. *used becomes what the launch has executed so far.
 */
static enum excess
book_work(struct worker *wk, uint64_t *used)
{
    uint64_t more = wk->insns_unflushed;
    bool over = work_add(wk->machine->work, more);

    wk->insns_unflushed = 0;
    *used = atomic_fetch_add(&wk->run->insns_used, more) + more;
    if (wk->run->budget != 0 && *used > wk->run->budget)
        return EXCESS_LAUNCH;
    return over ? EXCESS_WORK : EXCESS_NONE;
}

/* A warp that is stopped while it waits in grid.sync() gets the fault that says so. */
static bool
fault_waits_for_grid(struct warp *w, const struct insn *in, unsigned lane,
                     enum fault_kind kind)
{
    const struct run *r = w->worker->run;

    if (!r->launch->cooperative ||
        !source_is_grid_sync(r->kernel->module, origin_of(w, in)))
        return false;
    fault_at(w, in, lane, kind,
             "waits in grid.sync() for threads that do not come, until it was stopped; "
             "%llu of %llu blocks have ended without waiting here: all threads of all "
             "blocks must come to each grid.sync()",
             (unsigned long long)w->worker->blocks_ended,
             (unsigned long long)r->block_total);
    return true;
}

/* A fault at a backward branch names the loop, whose line is that of the branch. */
int
budget_check(struct warp *w, const struct insn *in)
{
    struct worker *wk = w->worker;
    struct run *r = wk->run;
    enum excess excess;
    uint64_t used;
    unsigned lane = (unsigned)__builtin_ctz(w->mask);

    wk->insns_unflushed += w->clock;
    w->clock_base += w->clock;
    w->clock = 0;
    if (atomic_load_explicit(&r->machine->interrupted, memory_order_relaxed)) {
        if (!fault_waits_for_grid(w, in, lane, FAULT_INTERRUPTED))
            fault_at(w, in, lane, FAULT_INTERRUPTED, "stopped while it was running");
        return -1;
    }
    if (atomic_load_explicit(&r->fault_block, memory_order_relaxed) < w->block->number) {
        /* A lower block has faulted; what this one would do no longer matters. */
        fault_at(w, in, lane, FAULT_INTERRUPTED, "stopped while it was running");
        return -1;
    }
    excess = book_work(wk, &used);
    if (excess == EXCESS_NONE)
        return 0;
    if (fault_waits_for_grid(w, in, lane, FAULT_BUDGET))
        return -1;
    if (excess == EXCESS_LAUNCH || used > r->budget / 2)
        fault_at(w, in, lane, FAULT_BUDGET,
                 "the kernel does not end, or not soon: it was stopped after %llu "
                 "instructions, in this loop",
                 (unsigned long long)used);
    else
        fault_at(w, in, lane, FAULT_BUDGET,
                 "the kernel was stopped after %llu instructions of its own, in this "
                 "loop",
                 (unsigned long long)used);
    return -1;
}

/* --- blocks -------------------------------------------------------------- */

static void
worker_note_fault(struct worker *wk)
{
    uint64_t now = atomic_load(&wk->run->fault_block);

    while (wk->fault_block < now &&
           !atomic_compare_exchange_weak(&wk->run->fault_block, &now, wk->fault_block))
        ;
}

/* Begins the blocks of the cluster whose first block has this number and puts them at the
 * end of the list. -1: the host has no memory for them. */
static int
worker_begin_cluster(struct worker *wk, uint64_t number, struct block **list)
{
    struct cluster *c = cluster_new(wk);
    uint64_t end = number + cluster_size(wk->run);

    while (*list != NULL)
        list = &(*list)->next;
    for (; number < end; number++) {
        struct block *b = c != NULL ? block_get(wk, number) : NULL;

        if (b == NULL) {
            fault_text(&wk->fault, FAULT_OUT_OF_MEMORY,
                       "the host has no memory for another block");
            wk->fault_block = number;
            worker_note_fault(wk);
            if (c != NULL && c->size == 0)
                cluster_put(wk, c);
            return -1;
        }
        cluster_enter(b, c);
        *list = b;
        list = &b->next;
    }
    return 0;
}

/* Looks at the limits between blocks, because code without a backward branch never does.
 */
static void
worker_heed_limits(struct worker *wk)
{
    const struct run *r = wk->run;
    const uint32_t *grid = r->launch->grid;
    enum excess excess;
    uint64_t used;

    if (wk->fault.kind != FAULT_NONE)
        return;
    if (atomic_load_explicit(&wk->machine->interrupted, memory_order_relaxed))
        fault_text(&wk->fault, FAULT_INTERRUPTED, "kernel %.120s was stopped",
                   r->kernel->name);
    if (wk->fault.kind != FAULT_NONE || wk->insns_unflushed < FLUSH_INSNS)
        return;
    excess = book_work(wk, &used);
    if (excess != EXCESS_NONE)
        fault_text(&wk->fault, FAULT_BUDGET,
                   "kernel %.120s, launched with (%u,%u,%u) blocks, was stopped after "
                   "%llu instructions%s",
                   r->kernel->name, grid[0], grid[1], grid[2], (unsigned long long)used,
                   excess == EXCESS_LAUNCH ? ": more than one launch may execute"
                                           : " of its own");
}

/* Where blocks may wait for each other there is one worker, and their costs count in the
 * order in which they end. */
static void
worker_block_done(struct worker *wk, const struct block *b)
{
    bool kept = block_cost_end(b) == 0;

    wk->blocks_ended++;
    if (kept && wk->run->serial && wk->run->in_order) {
        schedule_give_back(wk->run->delivery.schedule, b->place, &b->cost);
        wk->ended.count = 0;
        return;
    }
    if (kept && wk->run->serial)
        ended_deliver(&wk->ended, wk->run->delivery.schedule);
    if (kept)
        return;
    fault_text(&wk->fault, FAULT_OUT_OF_MEMORY, "the host has no memory for a launch");
    wk->fault_block = b->number;
    worker_note_fault(wk);
}

/* Gives each block under way a turn. Blocks that end leave the list; returns how many
 * did. If all wait for each other, that is a fault, unless others may yet begin
 * (may_begin). */
static uint64_t
worker_run_round(struct worker *wk, struct block **list, bool may_begin)
{
    uint64_t ended = 0;
    struct block *first = NULL;
    bool ran = false;

    while (*list != NULL && wk->fault.kind == FAULT_NONE) {
        struct block *b = *list;

        enum block_result result = block_run(b);

        block_cost_turn(b);
        switch (result) {
        case BLOCK_YIELD:
            ran |= b->ran;
            first = first != NULL ? first : b;
            list = &b->next;
            continue;
        case BLOCK_FAULT:
            worker_note_fault(wk);
            break;
        case BLOCK_DONE:
            worker_block_done(wk, b);
            break;
        }
        *list = b->next;
        block_put(b);
        ended++;
    }
    if (first != NULL && !ran && ended == 0 && !may_begin &&
        wk->fault.kind == FAULT_NONE) {
        fault_deadlock(first);
        worker_note_fault(wk);
    }
    return ended;
}

/* Puts back the blocks that a fault leaves under way. */
static void
worker_drop_blocks(struct block *list)
{
    while (list != NULL) {
        struct block *b = list;

        list = b->next;
        block_put(b);
    }
}

/* Executes the clusters of [from, to), which mostly have one block. Returns false if a
 * fault, in one of them or below, ended that. */
static bool
worker_run_chunk(struct worker *wk, uint64_t from, uint64_t to)
{
    uint32_t size = cluster_size(wk->run);

    for (uint64_t n = from; n < to; n += size) {
        struct block *list = NULL;

        worker_heed_limits(wk);
        if (wk->fault.kind != FAULT_NONE || n > atomic_load(&wk->run->fault_block))
            return false;
        if (worker_begin_cluster(wk, n, &list) == 0)
            while (list != NULL && wk->fault.kind == FAULT_NONE)
                worker_run_round(wk, &list, false);
        worker_drop_blocks(list);
    }
    return wk->fault.kind == FAULT_NONE;
}

void
worker_run_parallel(struct worker *wk)
{
    struct run *r = wk->run;

    for (;;) {
        uint64_t from = atomic_fetch_add(&r->next_block, r->chunk);
        uint64_t to = from + r->chunk < r->block_total ? from + r->chunk : r->block_total;

        if (from >= r->block_total)
            return;
        if (!worker_run_chunk(wk, from, to)) {
            delivery_stop(&r->delivery);
            return;
        }
        delivery_chunk(&r->delivery, from, &wk->ended);
    }
}

static uint64_t
resident_limit(const struct run *r)
{
    const struct machine *m = r->machine;
    uint64_t per_sm =
        kernel_blocks_per_sm(r->kernel, r->threads_per_block, r->launch->dynamic_shared);
    uint64_t limit = (per_sm != 0 ? per_sm : 1) * (uint64_t)m->device->sms;

    if (r->launch->cooperative)
        limit = r->block_total;
    return limit < MAX_RESIDENT_BLOCKS ? limit : MAX_RESIDENT_BLOCKS;
}

/* Each block under way gets its turns. Another block begins when all of them are still
 * waiting, as far as the device would hold it. Where many wait for the last (a barrier of
 * the grid), a look at each of them for each block that begins would take long. So they
 * are looked at again when as many blocks more have begun. */
void
worker_run_serial(struct worker *wk)
{
    struct run *r = wk->run;
    uint64_t limit = resident_limit(r), resident = 0, next = 0, begun = 0, waiting = 0;
    uint32_t size = cluster_size(r);
    struct block *active = NULL;

    while (wk->fault.kind == FAULT_NONE && (active != NULL || next < r->block_total)) {
        bool may_begin =
            next < r->block_total && (resident + size <= limit || resident == 0);
        struct block **turn = &active;

        if (may_begin) {
            while (*turn != NULL)
                turn = &(*turn)->next;
            if (worker_begin_cluster(wk, next, turn) != 0)
                break;
            next += size;
            resident += size;
            begun += size;
        }
        if (begun > waiting || !may_begin)
            turn = &active;
        resident -= worker_run_round(wk, turn, may_begin);
        if (turn == &active) {
            begun = 0;
            waiting = resident;
        }
        worker_heed_limits(wk);
    }
    worker_drop_blocks(active);
}

/* --- blocks by their clocks ------------------------------------------------ */

/* The blocks under way, as a heap: the one that is due first goes on first. */
struct queue {
    struct block **list;
    uint32_t count, max;
};

static bool
is_due_before(const struct block *a, const struct block *b)
{
    return a->due != b->due ? a->due < b->due : a->number < b->number;
}

/* -1: the host has no memory. */
static int
queue_add(struct queue *q, struct block *b)
{
    uint32_t at = q->count;

    if (q->count == q->max) {
        uint32_t max = q->max != 0 ? q->max * 2 : 64;
        struct block **list = realloc(q->list, max * sizeof(struct block *));

        if (list == NULL)
            return -1;
        q->list = list;
        q->max = max;
    }
    for (; at > 0 && is_due_before(b, q->list[(at - 1) / 2]); at = (at - 1) / 2)
        q->list[at] = q->list[(at - 1) / 2];
    q->list[at] = b;
    q->count++;
    return 0;
}

static struct block *
queue_take(struct queue *q)
{
    struct block *first = q->list[0], *last = q->list[--q->count];
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= q->count)
            break;
        if (child + 1 < q->count && is_due_before(q->list[child + 1], q->list[child]))
            child++;
        if (is_due_before(last, q->list[child]))
            break;
        q->list[at] = q->list[child];
        at = child;
    }
    q->list[at] = last;
    return first;
}

/* A barrier of the cluster may have let its other blocks go on: they are due anew. */
static void
queue_renew(struct queue *q, const struct cluster *c)
{
    uint32_t count = q->count;

    for (uint32_t i = 0; i < count; i++)
        if (q->list[i]->cluster == c)
            q->list[i]->due = block_due(q->list[i]);
    q->count = 0;
    for (uint32_t i = 0; i < count; i++)
        (void)queue_add(q, q->list[i]); /* there is room */
}

/* Begins the cluster at the places that are free first. */
static int
begin_at_places(struct worker *wk, struct queue *q, uint64_t number)
{
    struct block *list = NULL, *next;
    int status = worker_begin_cluster(wk, number, &list);

    for (; list != NULL; list = next) {
        next = list->next;
        list->place = schedule_take(wk->run->delivery.schedule, &list->begin);
        list->due = clock_cycles(&list->begin);
        if (status != 0 || queue_add(q, list) != 0) {
            status = -1;
            block_put(list);
        }
    }
    if (status == 0 || wk->fault.kind != FAULT_NONE)
        return status;
    fault_text(&wk->fault, FAULT_OUT_OF_MEMORY, "the host has no memory for a launch");
    wk->fault_block = number;
    worker_note_fault(wk);
    return -1;
}

/* Gives the block that is due first a turn. place_at: when the next block can begin. */
static void
worker_run_first(struct worker *wk, struct queue *q, uint64_t place_at)
{
    struct block *b = queue_take(q);
    const struct cluster *cluster = b->cluster;
    uint64_t others =
        q->count != 0 && q->list[0]->due < place_at ? q->list[0]->due : place_at;
    enum block_result result;

    if (b->due == UINT64_MAX) { /* nobody else is due */
        fault_deadlock(b);
        result = BLOCK_FAULT;
    } else {
        result = block_run_in_order(b, others);
        block_cost_turn(b);
    }
    if (result == BLOCK_YIELD) {
        (void)queue_add(q, b); /* there is room */
    } else {
        if (result == BLOCK_DONE)
            worker_block_done(wk, b);
        else
            worker_note_fault(wk);
        block_put(b);
    }
    if (cluster_size(wk->run) > 1)
        queue_renew(q, cluster);
}

/* A block begins when its place is free, unless another is due before that. */
void
worker_run_in_order(struct worker *wk)
{
    struct run *r = wk->run;
    uint64_t next = 0;
    uint32_t size = cluster_size(r);
    struct queue q = {0};

    while (wk->fault.kind == FAULT_NONE && (q.count != 0 || next < r->block_total)) {
        const struct schedule *s = r->delivery.schedule;
        uint64_t place_at = next < r->block_total && schedule_free_places(s) >= size
                                ? schedule_free_at(s)
                                : UINT64_MAX;

        if (q.count == 0 || place_at < q.list[0]->due) {
            if (begin_at_places(wk, &q, next) != 0)
                break;
            next += size;
        } else {
            worker_run_first(wk, &q, place_at);
        }
        worker_heed_limits(wk);
    }
    for (uint32_t i = 0; i < q.count; i++)
        block_put(q.list[i]);
    free(q.list);
}

/* --- begin and end ------------------------------------------------------- */

int
worker_begin(struct worker *wk, struct run *r)
{
    uint32_t count = r->kernel->tally_count, sites = r->kernel->slot_count;

    wk->run = r;
    wk->machine = r->machine;
    for (unsigned i = 0; i < HIT_SLOTS; i++)
        wk->hits[i] = &no_allocation;
    if (wk->tally_max < count) {
        free(wk->tallies);
        wk->tallies = malloc(count * sizeof *wk->tallies);
        wk->tally_max = wk->tallies != NULL ? count : 0;
        if (wk->tallies == NULL)
            return -1;
    }
    if (wk->site_max < sites) {
        free(wk->sites);
        wk->sites = malloc(sites * sizeof *wk->sites);
        wk->site_max = wk->sites != NULL ? sites : 0;
        if (wk->sites == NULL)
            return -1;
    }
    for (uint32_t i = 0; i < sites; i++)
        wk->sites[i] = (struct site_counts){.waits = !r->kernel->slots[i].no_wait};
    memset(wk->tallies, 0, count * sizeof *wk->tallies);
    if (block_cost_begin(wk) != 0)
        return -1;
    wk->horizon = UINT64_MAX;
    wk->polled_sectors = 0;
    wk->links_global = wk->links_shared = false;
    wk->counters = (struct counters){0};
    wk->has_hot = false;
    wk->fault = (struct fault){0};
    wk->fault_block = UINT64_MAX;
    wk->notice_count = 0;
    wk->insns_unflushed = 0;
    wk->blocks_ended = 0;
    return 0;
}

void
worker_end(struct worker *wk)
{
    struct warp *next_warp;
    struct block *next_block;

    for (struct warp *w = wk->free_warps; w != NULL; w = next_warp) {
        next_warp = w->next_free;
        warp_destroy(w);
    }
    for (struct block *b = wk->free_blocks; b != NULL; b = next_block) {
        next_block = b->next;
        block_destroy(b);
    }
    flights_free(wk);
    free(wk->free_cluster);
    wk->free_cluster = NULL;
    wk->free_warps = NULL;
    wk->free_blocks = NULL;
}
