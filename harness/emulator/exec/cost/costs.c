/*
 * The end of a launch: adds up what the workers counted, for each source line and for the
 * kernel.
 *
 * Nothing here runs for each instruction. Executions were tallied by run and by guarded
 * instruction, and decoding has found what one of them adds to which line (struct share).
 * Memory, barriers and branches were counted at their sites, each of which has a line.
 * All sums are of integers, so the order of the workers does not show.
 *
 * Then the time of the launch is modelled. Each line gets the part of it that it has in
 * what bounds the launch.
 */
#include "costs.h"

#include "../machine.h"
#include "../source.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line_sum {
    struct counters counters;
    double ns;
};

struct costs {
    struct counters total; /* modelled_ns: with the launches' fixed costs */
    uint64_t blocks, warps;
    uint32_t threads_per_block, shared_bytes, blocks_per_sm, warps_of_sm;
    uint32_t limit_blocks[OCCUPANCY_LIMIT_COUNT];
    double launch_ns, bound_ns[COST_BOUND_COUNT];
    struct line_sum *lines; /* as the kernel's lines */
    struct counters *now;   /* the launch's own, as the kernel's lines */
};

int
costs_begin(struct kernel *k)
{
    uint32_t lines = k->line_count != 0 ? k->line_count : 1;
    struct costs *c = k->costs;

    if (c == NULL) {
        c = calloc(1, sizeof *c);
        if (c == NULL)
            return -1;
        c->lines = calloc(lines, sizeof *c->lines);
        c->now = calloc(lines, sizeof *c->now);
        k->costs = c;
        if (c->lines == NULL || c->now == NULL) {
            costs_free(k);
            return -1;
        }
    }
    memset(c->now, 0, lines * sizeof *c->now);
    return 0;
}

void
costs_free(struct kernel *k)
{
    if (k->costs == NULL)
        return;
    free(k->costs->lines);
    free(k->costs->now);
    free(k->costs);
    k->costs = NULL;
}

/* Adds counters. All members before modelled_ns are uint64_t. */
static void
add_counts(struct counters *to, const struct counters *from)
{
    uint64_t *t = (uint64_t *)to;
    const uint64_t *f = (const uint64_t *)from;

    for (size_t i = 0; i < offsetof(struct counters, modelled_ns) / sizeof *t; i++)
        t[i] += f[i];
}

static void
add_executions(struct counters *now, const struct kernel *k, const struct worker *wk)
{
    for (uint32_t i = 0; i < k->share_count; i++) {
        const struct share *s = &k->shares[i];
        const struct tally *t = &wk->tallies[s->tally];
        struct counters *c = &now[s->line];

        if (t->count == 0)
            continue;
        c->warp_instructions += t->count * s->warp_insns;
        c->thread_instructions += t->lanes * s->thread_insns;
        c->fp32_flops += t->lanes * s->work[WORK_FP32];
        c->fp64_flops += t->lanes * s->work[WORK_FP64];
        c->fp16_flops += t->lanes * s->work[WORK_FP16];
        c->int_ops += t->lanes * s->work[WORK_INT];
        c->sfu_ops += t->lanes * s->work[WORK_SFU];
        c->issue_slots += t->count * s->issue_slots;
        c->path_cycles += t->count * s->path_cycles;
        c->path_loads += t->count * s->path_loads;
        c->tensor_flops += t->lanes * s->work[WORK_TENSOR];
        c->tensor_time += t->lanes * s->work[WORK_TENSOR_TIME];
        c->local_wavefronts += t->count * s->work[WORK_SHUFFLE];
    }
}

/* The atomics on the busiest line of 128 bytes, of all workers together. */
static uint64_t
hottest(const struct machine *m, int workers)
{
    uint64_t most = 0;

    for (unsigned line = 0; line < HOT_LINES; line++) {
        uint64_t sum = 0;

        for (int i = 0; i < workers; i++)
            if (m->workers[i].has_hot)
                sum += m->workers[i].hot[line];
        most = sum > most ? sum : most;
    }
    return most;
}

static void
add_sites(struct counters *now, const struct kernel *k, const struct worker *wk)
{
    for (uint32_t i = 0; i < k->slot_count; i++) {
        const struct site_counts *s = &wk->sites[i];
        struct counters *c = &now[k->slots[i].line];

#define X(name) c->name += s->name;
        SITE_COUNTS(X)
#undef X
        c->shared_ideal += s->shared_requests * k->slots[i].wavefronts;
        c->local_wavefronts += s->local_wavefronts;
        c->host_bytes += host_sectors(&k->slots[i], s) * 32;
        c->l1_missed_sectors += missed_sectors(&k->slots[i], s) - s->l1_missed_sectors;
    }
}

void
costs_end(struct machine *m, struct kernel *k, const struct launch_shape *shape,
          int workers)
{
    struct costs *c = k->costs;
    struct counters sum = {.launches = 1};
    struct model_time time;

    for (int i = 0; i < workers; i++) {
        add_executions(c->now, k, &m->workers[i]);
        add_sites(c->now, k, &m->workers[i]);
        add_counts(&c->now[0], &m->workers[i].counters);
    }
    for (uint32_t i = 0; i < k->line_count; i++)
        add_counts(&sum, &c->now[i]);
    if (sum.atomic_requests != 0)
        sum.atomic_hottest = hottest(m, workers);
    model_launch(m->device, shape, &sum, &time);
    sum.modelled_ns = time.ns;
    add_counts(&m->counters, &sum);
    clock_spend(m, sum.modelled_ns, false);
    m->counters.host_ns += model_host_ns(m->device, sum.host_bytes);

    add_counts(&c->total, &sum);
    c->total.modelled_ns += sum.modelled_ns;
    c->launch_ns += time.launch_ns;
    for (int i = 0; i < COST_BOUND_COUNT; i++)
        c->bound_ns[i] += time.bound_ns[i];
    c->blocks += shape->blocks;
    c->warps += shape->blocks * ((shape->threads_per_block + LANES - 1) / LANES);
    c->threads_per_block = shape->threads_per_block;
    c->shared_bytes = shape->shared_per_block;
    c->blocks_per_sm = time.blocks_per_sm;
    c->warps_of_sm = (uint32_t)m->device->warps_per_sm;
    memcpy(c->limit_blocks, time.limit_blocks, sizeof c->limit_blocks);
    for (uint32_t i = 0; i < k->line_count; i++) {
        add_counts(&c->lines[i].counters, &c->now[i]);
        c->lines[i].ns += (time.ns - time.launch_ns) *
                          model_part(m->device, time.bound, &c->now[i], &sum);
    }
}

/* --- costs of kernels ---------------------------------------------------- */

static void
tell_line(const struct kernel *k, uint32_t line, struct line_cost *out)
{
    const struct source_line *at = &k->lines[line];
    const struct ptx_module *ptx = k->module->ptx;

    *out = (struct line_cost){.line = (int)at->line,
                              .ns = k->costs->lines[line].ns,
                              .counters = k->costs->lines[line].counters};
    if (at->line != 0)
        snprintf(out->file, sizeof out->file, "%s", base_name(ptx->files[at->file]));
}

/* A line that was executed, in the order in which lines are told. */
struct told_line {
    double ns;
    uint32_t line;
};

/* Puts the costliest lines first, and of equal ones the earlier line of the kernel. */
static int
by_line_cost(const void *left, const void *right)
{
    const struct told_line *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Tells COST_LINES lines, from the place `first` on. */
static void
tell_lines(const struct kernel *k, uint32_t first, struct kernel_cost *out)
{
    const struct line_sum *sums = k->costs->lines;
    struct told_line *list = calloc(k->line_count + 1, sizeof *list);
    uint32_t all = 0;

    if (list == NULL)
        return; /* only a report of the lines is lost */
    for (uint32_t i = 0; i < k->line_count; i++)
        if (sums[i].counters.warp_instructions != 0)
            list[all++] = (struct told_line){.ns = sums[i].ns, .line = i};
    qsort(list, all, sizeof *list, by_line_cost);
    for (uint32_t i = first; i < all && out->line_count < COST_LINES; i++)
        tell_line(k, list[i].line, &out->line[out->line_count++]);
    out->lines_left = first < all ? all - first - out->line_count : 0;
    free(list);
}

static void
tell_kernel(const struct kernel *k, uint32_t first_line, struct kernel_cost *out)
{
    const struct costs *c = k->costs;

    *out = (struct kernel_cost){.blocks = c->blocks,
                                .warps = c->warps,
                                .threads_per_block = c->threads_per_block,
                                .registers = kernel_registers(k),
                                .shared_bytes = c->shared_bytes,
                                .blocks_per_sm = c->blocks_per_sm,
                                .warps_of_sm = c->warps_of_sm,
                                .ns = c->total.modelled_ns,
                                .launch_ns = c->launch_ns,
                                .counters = c->total};
    memcpy(out->bound_ns, c->bound_ns, sizeof out->bound_ns);
    memcpy(out->limit_blocks, c->limit_blocks, sizeof out->limit_blocks);
    snprintf(out->name, sizeof out->name, "%s", k->name);
    tell_lines(k, first_line, out);
}

static bool
was_launched(const struct kernel *k)
{
    return k->costs != NULL && k->costs->total.launches != 0;
}

/* A kernel of a loaded module, or the costs that are kept of one that is gone. */
struct entry {
    double ns;
    const char *name;
    const struct kernel *kernel;       /* NULL: the kernel is gone */
    const struct kernel_cost *retired; /* NULL: the kernel is there */
};

/* Puts the costliest kernels first; names decide between equal ones. */
static int
by_cost(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

static size_t
list_entries(const struct machine *m, struct entry *list)
{
    size_t n = 0;

    for (const struct module *mod = m->modules; mod != NULL; mod = mod->next) {
        for (const struct kernel *k = mod->kernels; k != NULL; k = k->next) {
            if (!was_launched(k))
                continue;
            if (list != NULL)
                list[n] = (struct entry){
                    .ns = k->costs->total.modelled_ns, .name = k->name, .kernel = k};
            n++;
        }
    }
    for (uint32_t i = 0; i < m->retired_count; i++, n++)
        if (list != NULL)
            list[n] = (struct entry){.ns = m->retired[i].ns,
                                     .name = m->retired[i].name,
                                     .retired = &m->retired[i]};
    return n;
}

int
machine_cost(const struct machine *m, uint32_t index, uint32_t first_line,
             struct kernel_cost *out)
{
    size_t count = list_entries(m, NULL);
    struct entry *list = index < count ? calloc(count, sizeof *list) : NULL;

    if (list == NULL)
        return -1;
    list_entries(m, list);
    qsort(list, count, sizeof *list, by_cost);
    if (list[index].kernel != NULL)
        tell_kernel(list[index].kernel, first_line, out);
    else
        *out = *list[index].retired;
    if (list[index].kernel == NULL && first_line > 0)
        out->line_count = out->lines_left = 0; /* its other lines were not kept */
    free(list);
    return 0;
}

/* --- modules come and go ------------------------------------------------- */

void
costs_retire(struct machine *m, const struct kernel *k)
{
    struct kernel_cost *place;

    if (!was_launched(k))
        return;
    if (m->retired == NULL)
        m->retired = calloc(RETIRED_MAX, sizeof *m->retired);
    if (m->retired == NULL)
        return; /* only a report of its costs is lost */
    place = &m->retired[0];
    for (uint32_t i = 1; i < m->retired_count; i++)
        if (m->retired[i].ns < place->ns)
            place = &m->retired[i];
    if (m->retired_count < RETIRED_MAX)
        place = &m->retired[m->retired_count++];
    else if (place->ns >= k->costs->total.modelled_ns)
        return;
    tell_kernel(k, 0, place);
}

void
machine_costs_reset(struct machine *m)
{
    for (struct module *mod = m->modules; mod != NULL; mod = mod->next)
        for (struct kernel *k = mod->kernels; k != NULL; k = k->next)
            costs_free(k);
    m->retired_count = 0;
}
