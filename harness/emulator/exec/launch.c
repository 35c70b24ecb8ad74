/*
 * Launches: checks the configuration, spreads the blocks over the workers, sums up.
 *
 * Workers take chunks of blocks in increasing order from one counter. Blocks are
 * independent unless the kernel is serial (see struct kernel): then one worker runs them
 * all, in order, and keeps several under way when some wait for others. So what a launch
 * computes and counts does not depend on the number of workers. Of several faults the one
 * in the lowest block is reported: blocks below a fault are still finished, blocks above
 * are not begun.
 *
 * The threads wait in a pool between launches; the calling thread is worker 0.
 */
#include "cluster.h"
#include "cost/costs.h"
#include "machine.h"
#include "ops/half.h"
#include "race/race.h"
#include "warp_fault.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_THREADS_PER_BLOCK = 1024,
    MAX_SHARED_BYTES = 227 << 10,
    MAX_RESIDENT_BLOCKS = 4096,
    FLUSH_INSNS = 1 << 16,
    SMALL_LAUNCH_THREADS = 8192, /* not worth waking anybody */
};

/* --- budgets ----------------------------------------------------------- */

/* Which limit is exceeded: the launch's own, or that of all work (work.h). */
enum excess { EXCESS_NONE, EXCESS_LAUNCH, EXCESS_WORK };

/* Books what the worker has executed; *used is what the launch has so far. */
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

/* The loop that a fault at a backward branch is about: its line is the branch's own. */
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
    if (excess == EXCESS_LAUNCH || used > r->budget / 2)
        fault_at(w, in, lane, FAULT_BUDGET,
                 "the kernel does not end, or not soon: it was stopped after %llu "
                 "instructions, in "
                 "this loop",
                 (unsigned long long)used);
    else
        fault_at(w, in, lane, FAULT_BUDGET,
                 "the kernel was stopped after %llu instructions of its own, in this "
                 "loop",
                 (unsigned long long)used);
    return -1;
}

/* --- one worker's share -------------------------------------------------- */

static void
note_fault(struct worker *wk)
{
    uint64_t now = atomic_load(&wk->run->fault_block);

    while (wk->fault_block < now &&
           !atomic_compare_exchange_weak(&wk->run->fault_block, &now, wk->fault_block))
        ;
}

/* Begins the blocks of the cluster whose first block has this number and puts them at the
 * end of the list. -1: the host has no memory for them. */
static int
cluster_begin(struct worker *wk, uint64_t number, struct block **list)
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
            note_fault(wk);
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

/* Between blocks: code without a backward branch never asks by itself. */
static void
heed_limits(struct worker *wk)
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

/* A turn for each block under way; those that end leave the list. Returns how many did.
 * Faults if all wait for each other; may_begin: others may yet begin and help. */
static uint64_t
blocks_round(struct worker *wk, struct block **list, bool may_begin)
{
    uint64_t ended = 0;
    struct block *first = NULL;
    bool ran = false;

    while (*list != NULL && wk->fault.kind == FAULT_NONE) {
        struct block *b = *list;

        switch (block_run(b)) {
        case BLOCK_YIELD:
            ran |= b->ran;
            first = first != NULL ? first : b;
            list = &b->next;
            continue;
        case BLOCK_FAULT:
            note_fault(wk);
            break;
        case BLOCK_DONE:
            break;
        }
        *list = b->next;
        block_put(b);
        ended++;
    }
    if (first != NULL && !ran && ended == 0 && !may_begin &&
        wk->fault.kind == FAULT_NONE) {
        fault_deadlock(first);
        note_fault(wk);
    }
    return ended;
}

/* After a fault. */
static void
drop_blocks(struct block *list)
{
    while (list != NULL) {
        struct block *b = list;

        list = b->next;
        block_put(b);
    }
}

/* Independent clusters of blocks, mostly of one. */
static void
run_parallel(struct worker *wk)
{
    struct run *r = wk->run;
    uint32_t size = cluster_size(r);

    for (;;) {
        uint64_t from = atomic_fetch_add(&r->next_block, r->chunk);
        uint64_t to = from + r->chunk < r->block_total ? from + r->chunk : r->block_total;

        if (from >= r->block_total)
            return;
        for (uint64_t n = from; n < to; n += size) {
            struct block *list = NULL;

            heed_limits(wk);
            if (wk->fault.kind != FAULT_NONE || n > atomic_load(&r->fault_block))
                return;
            if (cluster_begin(wk, n, &list) == 0)
                while (list != NULL && wk->fault.kind == FAULT_NONE)
                    blocks_round(wk, &list, false);
            drop_blocks(list);
        }
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

/* Blocks that may wait for each other: each gets its turns; another is begun when all
 * that are under way are still waiting, as far as the device would hold them. Where many
 * wait for the last (a barrier of the grid), a look at each of them for each that begins
 * would take long: they are looked at again when as many more have begun. */
static void
run_serial(struct worker *wk)
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
            if (cluster_begin(wk, next, turn) != 0)
                break;
            next += size;
            resident += size;
            begun += size;
        }
        if (begun > waiting || !may_begin)
            turn = &active;
        resident -= blocks_round(wk, turn, may_begin);
        if (turn == &active) {
            begun = 0;
            waiting = resident;
        }
        heed_limits(wk);
    }
    drop_blocks(active);
}

/* --- workers ----------------------------------------------------------- */

static int
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
    if (sites != 0)
        memset(wk->sites, 0, sites * sizeof *wk->sites);
    memset(wk->tallies, 0, count * sizeof *wk->tallies);
    wk->counters = (struct counters){0};
    wk->has_hot = false;
    wk->fault = (struct fault){0};
    wk->fault_block = UINT64_MAX;
    wk->notice_count = 0;
    wk->insns_unflushed = 0;
    return 0;
}

static void
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
    free(wk->free_cluster);
    wk->free_cluster = NULL;
    wk->free_warps = NULL;
    wk->free_blocks = NULL;
}

struct pool {
    pthread_t *threads;
    int count;
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    struct run *run;
    uint64_t generation;
    int working;
    bool quit;
};

struct pool_start {
    struct pool *pool;
    struct worker *worker;
};

static void *
pool_main(void *arg)
{
    struct pool_start start = *(struct pool_start *)arg;
    struct pool *p = start.pool;
    uint64_t seen = 0;

    free(arg);
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (p->generation == seen) {
            pthread_cond_wait(&p->wake, &p->lock);
            continue;
        }
        seen = p->generation;
        pthread_mutex_unlock(&p->lock);
        run_parallel(start.worker);
        pthread_mutex_lock(&p->lock);
        if (--p->working == 0)
            pthread_cond_signal(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Threads beside the caller; fewer if the host gives fewer. */
static struct pool *
pool_new(struct machine *m)
{
    struct pool *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->threads = calloc((size_t)m->thread_count, sizeof *p->threads);
    if (p->threads == NULL) {
        free(p);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->idle, NULL);
    for (int i = 1; i < m->thread_count; i++) {
        struct pool_start *s = malloc(sizeof *s);

        if (s == NULL)
            break;
        *s = (struct pool_start){p, &m->workers[i]};
        if (pthread_create(&p->threads[p->count], NULL, pool_main, s) != 0) {
            free(s);
            break;
        }
        p->count++;
    }
    return p;
}

void
pool_free(struct machine *m)
{
    struct pool *p = m->pool;

    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->count; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->idle);
    pthread_mutex_destroy(&p->lock);
    free(p->threads);
    free(p);
    m->pool = NULL;
}

/* All workers, or the caller alone; returns how many took part, -1: no memory. */
static int
run_workers(struct machine *m, struct run *r)
{
    uint64_t threads = r->block_total * r->threads_per_block;
    int count = 1;

    if (!r->kernel->serial && !r->checks && r->block_total > 1 &&
        threads >= SMALL_LAUNCH_THREADS && m->thread_count > 1) {
        if (m->pool == NULL)
            m->pool = pool_new(m);
        if (m->pool != NULL)
            count += m->pool->count;
    }
    if (costs_begin(r->kernel) != 0)
        return -1;
    for (int i = 0; i < count; i++)
        if (worker_begin(&m->workers[i], r) != 0)
            return -1;
    if (count > 1) {
        pthread_mutex_lock(&m->pool->lock);
        m->pool->working = m->pool->count;
        m->pool->generation++;
        pthread_cond_broadcast(&m->pool->wake);
        pthread_mutex_unlock(&m->pool->lock);
    }
    if (r->kernel->serial)
        run_serial(&m->workers[0]);
    else
        run_parallel(&m->workers[0]);
    if (count > 1) {
        pthread_mutex_lock(&m->pool->lock);
        while (m->pool->working > 0)
            pthread_cond_wait(&m->pool->idle, &m->pool->lock);
        pthread_mutex_unlock(&m->pool->lock);
    }
    return count;
}

/* Sizes of the allocations that the launch accessed. What has one address in host and
 * device code lies below all others. */
static void
add_touched(const struct machine *m, struct launch_shape *shape, uint32_t launch)
{
    for (size_t i = 0; i < m->memory.count; i++) {
        const struct allocation *a = m->memory.sorted[i];

        if (atomic_load(&a->touched_by) != launch)
            continue;
        shape->touched_bytes += a->bytes;
        if (a->start < GLOBAL_BASE)
            shape->touched_host_bytes += a->bytes;
        else if (a->device != m->current && a->device != EVERY_DEVICE)
            shape->touched_peer_bytes += a->bytes;
    }
}

static void
account(struct machine *m, const struct run *r, int workers)
{
    struct launch_shape shape = {.blocks = r->block_total,
                                 .threads_per_block = r->threads_per_block,
                                 .shared_per_block = r->kernel->reserved_shared
                                                         ? r->reserved_offset
                                                         : r->shared_bytes,
                                 .registers_per_thread = kernel_registers(r->kernel)};

    add_touched(m, &shape, r->number);
    costs_end(m, r->kernel, &shape, workers);
}

/* --- the call ---------------------------------------------------------- */

static int
check_configuration(const struct kernel *k, const struct launch *l, struct fault *f)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t shared = (uint64_t)k->static_shared + l->dynamic_shared;

    if (l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0 || l->grid[0] > INT32_MAX ||
        l->grid[1] > 65535 || l->grid[2] > 65535) {
        fault_text(
            f, FAULT_LAUNCH_CONFIG,
            "kernel %.120s is launched with a grid of (%u,%u,%u) blocks; the limits "
            "are 1 to 2147483647, 65535, 65535",
            k->name, l->grid[0], l->grid[1], l->grid[2]);
        return -1;
    }
    if (l->block[0] == 0 || l->block[1] == 0 || l->block[2] == 0 || l->block[2] > 64 ||
        threads > MAX_THREADS_PER_BLOCK || threads > kernel_max_threads(k)) {
        fault_text(
            f, FAULT_LAUNCH_CONFIG,
            "kernel %.120s is launched with blocks of (%u,%u,%u) threads; it allows "
            "1 to %u threads a block",
            k->name, l->block[0], l->block[1], l->block[2], kernel_max_threads(k));
        return -1;
    }
    if (shared > MAX_SHARED_BYTES) {
        fault_text(
            f, FAULT_OUT_OF_RESOURCES,
            "kernel %.120s needs %llu bytes of shared memory a block; there are %d",
            k->name, (unsigned long long)shared, MAX_SHARED_BYTES);
        return -1;
    }
    return 0;
}

/* Dynamic shared memory begins behind the static variables, aligned. */
static uint32_t
dynamic_offset(const struct kernel *k)
{
    uint32_t align = k->shared_align > 16 ? k->shared_align : 16;

    return (k->static_shared + align - 1) & ~(align - 1);
}

static int
take_fault(struct machine *m, int workers, struct fault *f)
{
    const struct worker *first = NULL;

    for (int i = 0; i < workers; i++) {
        const struct worker *wk = &m->workers[i];

        if (wk->fault.kind == FAULT_NONE)
            continue;
        /* Of equal blocks (an interruption between blocks has none) any will do. */
        if (first == NULL || wk->fault_block < first->fault_block)
            first = wk;
    }
    if (first == NULL)
        return 0;
    *f = first->fault;
    if (f->kind == FAULT_ASSERT) {
        m->asserted = first->asserted;
        m->asserted_bytes = first->asserted_bytes;
    }
    return -1;
}

/* A race before what it may have caused: a read of what another should have written. */
static void
take_notice(const struct worker *wk, struct fault *f)
{
    for (uint32_t i = 0; i < wk->notice_count; i++)
        if (f->kind == FAULT_NONE || (f->kind == FAULT_UNINITIALIZED &&
                                      wk->notices[i].kind != FAULT_UNINITIALIZED))
            *f = wk->notices[i];
}

const struct fault *
machine_notices(const struct machine *m, uint32_t *count)
{
    *count = m->workers[0].notice_count; /* with diagnostics on there is no other */
    return m->workers[0].notices;
}

/* Cooperative groups' struct grid_workspace (cooperative_groups/details/driver_abi.h):
 * its size and the counter that grid.sync() counts in, which starts at 0 for every
 * launch. */
static int
grid_workspace_reset(struct machine *m, struct fault *f)
{
    const uint32_t start[2] = {sizeof start, 0};

    if (m->grid_workspace == 0)
        m->grid_workspace = memory_alloc_internal(m, sizeof start, 0);
    if (m->grid_workspace != 0)
        memory_lookup(m, m->grid_workspace)->device = EVERY_DEVICE;
    if (m->grid_workspace == 0) {
        fault_text(f, FAULT_OUT_OF_MEMORY, "the host has no memory for a launch");
        return -1;
    }
    memcpy(memory_host(m, m->grid_workspace, sizeof start), start, sizeof start);
    return 0;
}

int
machine_launch(struct machine *m, struct kernel *k, const struct launch *l,
               struct fault *f)
{
    struct run r = {.machine = m, .kernel = k, .launch = l, .checks = m->options.checks};
    int workers, status;

    *f = (struct fault){0};
    m->asserted = NULL;
    m->asserted_bytes = 0;
    if (kernel_decode(k, f) != 0 || check_configuration(k, l, f) != 0 ||
        (l->cooperative && grid_workspace_reset(m, f) != 0))
        return -1;
    if (cluster_configure(&r, f) != 0)
        return -1;
    r.number = ++m->launches;
    r.block_total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r.threads_per_block = l->block[0] * l->block[1] * l->block[2];
    r.warps_per_block = (r.threads_per_block + LANES - 1) / LANES;
    r.dynamic_offset = dynamic_offset(k);
    r.shared_bytes =
        l->dynamic_shared != 0 ? r.dynamic_offset + l->dynamic_shared : k->static_shared;
    if (k->reserved_shared) {
        r.reserved_offset = (r.shared_bytes + 127) & ~127u;
        r.shared_bytes = r.reserved_offset + RESERVED_SHARED;
    }
    r.budget = m->options.instruction_budget;
    r.chunk = r.block_total / ((uint64_t)m->thread_count * 16);
    r.chunk = r.chunk < 1 ? 1 : r.chunk > 64 ? 64 : r.chunk;
    r.chunk *= cluster_size(&r); /* clusters are not divided */
    atomic_store(&r.fault_block, UINT64_MAX);
    atomic_store(&m->interrupted, false);
    if (r.checks && m->race == NULL)
        m->race = race_new();
    if (r.checks && m->race != NULL)
        race_launch_begin(m->race, &r);
    workers = run_workers(m, &r);
    if (workers < 0) {
        fault_text(f, FAULT_OUT_OF_MEMORY, "the host has no memory for a launch");
        return -1;
    }
    account(m, &r, workers);
    for (int i = 0; i < workers; i++) /* that it is too much shows at the next request */
        (void)work_add(m->work, m->workers[i].insns_unflushed);
    status = take_fault(m, workers, f);
    if (status == 0)
        take_notice(&m->workers[0], f);
    for (int i = 0; i < workers; i++)
        worker_end(&m->workers[i]);
    return status;
}

void
machine_interrupt(struct machine *m)
{
    atomic_store(&m->interrupted, true);
}
