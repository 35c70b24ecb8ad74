/*
 * Launches: checks the configuration, spreads the blocks over the workers, sums up.
 *
 * Blocks are independent unless the kernel is serial (struct kernel). The workers of
 * independent blocks share a counter of blocks; a serial kernel has one worker, which
 * runs all blocks in order. So what a launch computes and counts does not depend on the
 * number of workers. Of several faults the one in the lowest block is reported.
 */
#include "cluster.h"
#include "cost/costs.h"
#include "fault.h"
#include "links.h"
#include "machine.h"
#include "order.h"
#include "pool.h"
#include "race/race.h"

#include <string.h>

enum {
    MAX_THREADS_PER_BLOCK = 1024,
    MAX_SHARED_BYTES = 227 << 10,
    SMALL_LAUNCH_THREADS = 8192, /* below this it is not worth waking the other threads */
};

/* --- execution ----------------------------------------------------------- */

/* Executes the launch on all workers, or on the caller alone. Returns how many took part;
 * -1: the host has no memory. */
static int
run_workers(struct machine *m, struct run *r)
{
    uint64_t threads = r->block_total * r->threads_per_block;
    int count = 1;

    if (!r->serial && !r->checks && r->block_total > 1 &&
        threads >= SMALL_LAUNCH_THREADS && m->thread_count > 1) {
        if (m->pool == NULL)
            m->pool = pool_new(m);
        if (m->pool != NULL)
            count += pool_threads(m->pool);
    }
    if (costs_begin(r->kernel) != 0 || block_cost_weigh(r->kernel) != 0)
        return -1;
    for (int i = 0; i < count; i++)
        if (worker_begin(&m->workers[i], r) != 0)
            return -1;
    for (int i = 0; i < count && r->in_order; i++)
        if (order_begin(&m->workers[i]) != 0)
            return -1;
    if (count > 1)
        pool_start(m->pool);
    if (r->serial && r->in_order)
        worker_run_in_order(&m->workers[0]);
    else if (r->serial)
        worker_run_serial(&m->workers[0]);
    else
        worker_run_parallel(&m->workers[0]);
    if (count > 1)
        pool_wait(m->pool);
    return count;
}

/* The machine's schedule, ready for the launch. NULL: the host has no memory. */
static struct schedule *
schedule_for(struct machine *m, const struct run *r)
{
    uint32_t per_sm =
        kernel_blocks_per_sm(r->kernel, r->threads_per_block, r->launch->dynamic_shared);

    if (m->schedule == NULL)
        m->schedule = schedule_new();
    if (m->schedule == NULL ||
        schedule_begin(m->schedule, m->device, r->block_total, per_sm) != 0)
        return NULL;
    return m->schedule;
}

/* run_workers(), with the costs of the blocks delivered to a schedule. */
static int
run_scheduled(struct machine *m, struct run *r)
{
    struct schedule *schedule = schedule_for(m, r);
    int workers;

    if (schedule == NULL)
        return -1;
    r->in_order =
        !r->checks && (r->serial || r->kernel->shared_flags || r->kernel->races_shared) &&
        !(r->launch->cooperative && schedule_free_places(schedule) < r->block_total) &&
        schedule_free_places(schedule) >= cluster_size(r);
    links_begin(r);
    delivery_begin(&r->delivery, schedule, r->chunk);
    workers = run_workers(m, r);
    if (r->delivery.no_memory)
        workers = -1;
    delivery_end(&r->delivery);
    schedule_end(schedule);
    return workers;
}

/* Adds up the sizes of the allocations that the launch accessed. */
static void
add_touched(const struct machine *m, struct launch_shape *shape, uint32_t launch)
{
    for (size_t i = 0; i < m->memory.count; i++) {
        const struct allocation *a = m->memory.sorted[i];

        if (atomic_load(&a->touched_by) != launch)
            continue;
        shape->touched_bytes += a->bytes;
        if (a->device != m->current && a->device != EVERY_DEVICE)
            shape->touched_peer_bytes += a->bytes;
    }
}

static void
account(struct machine *m, const struct run *r, int workers)
{
    struct launch_shape shape = {
        .blocks = r->block_total,
        .threads_per_block = r->threads_per_block,
        .shared_per_block = kernel_modelled_shared(
            r->kernel, r->kernel->reserved_shared ? r->reserved_offset : r->shared_bytes),
        .registers_per_thread = kernel_registers(r->kernel)};

    add_touched(m, &shape, r->number);
    shape.schedule = m->schedule;
    for (int i = 0; i < workers; i++)
        shape.polled_sectors += m->workers[i].polled_sectors;
    costs_end(m, r->kernel, &shape, workers);
}

/* --- the call ---------------------------------------------------------- */

/* Where ptxas's registers are known, a launch needs them. An estimate refuses none. */
static int
check_registers(const struct kernel *k, uint32_t threads, struct fault *f)
{
    uint32_t registers = k->assembled.registers;
    uint32_t threads_max = model_threads_max(k->module->machine->device, registers);

    if (registers == 0 || threads <= threads_max)
        return 0;
    fault_text(f, FAULT_OUT_OF_RESOURCES,
               "kernel %.120s needs %u registers a thread, so that a block can have at "
               "most %u threads; it has %u (__launch_bounds__(%u) makes the compiler use "
               "fewer)",
               k->name, registers, threads_max, threads, threads);
    return -1;
}

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
    return check_registers(k, (uint32_t)threads, f);
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
        /* Equal blocks mean an interruption between blocks; any of the faults will do. */
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

/* The first notice. A race goes before a read of what was never written, which the race
 * may have caused. */
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
    *count = m->workers[0].notice_count; /* with checks on there is no other */
    return m->workers[0].notices;
}

/* Writes struct grid_workspace of cooperative groups
 * (cooperative_groups/details/driver_abi.h): its size, and the counter of grid.sync(),
 * which starts at 0 in each launch. */
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
    r.serial = k->serial || (k->races_global && !r.checks);
    if (!r.checks && (k->races_global || k->races_shared))
        kernel_order(k);
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
    workers = run_scheduled(m, &r);
    if (r.checks && !race_saw_all(m->race)) /* what was not seen may be a chain */
        k->races_global = k->races_shared = true;
    if (workers < 0) {
        fault_text(f, FAULT_OUT_OF_MEMORY, "the host has no memory for a launch");
        return -1;
    }
    links_end(&r, workers);
    account(m, &r, workers);
    for (int i = 0; i < workers; i++) /* an excess shows at the next request */
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
