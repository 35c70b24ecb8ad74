/* The cost of one block, from what its worker counts. block_cost.h tells the scheme. */
#include "block_cost.h"

#include "../launch.h"

#include <stdlib.h>
#include <string.h>

/* What decides between paths, for an H200: the cycles of a load from L1, and how many
 * more one takes that misses it. */
enum { HIT_CYCLES = 40 };
static const uint32_t MISS_CYCLES[ASSUMPTIONS] = {[IF_L2] = 247, [IF_DRAM] = 950};

/* --- clocks -------------------------------------------------------------- */

static uint64_t
path_cycles(const struct path_sum *p, enum assumption a)
{
    return p->cycles + p->loads * HIT_CYCLES + p->missed * MISS_CYCLES[a];
}

/* Most often the other clock is not later. Were this inlined, the members that were just
 * counted would be read two at a time, for which the processor has to wait. */
static __attribute__((noinline)) void
path_set(struct path_sum *path, const struct path_sum *later)
{
    *path = *later;
}

void
clock_await(struct warp_clock *clock, const struct warp_clock *other)
{
    for (unsigned i = 0; i < ASSUMPTIONS; i++)
        if (path_cycles(&other->path[i], i) > path_cycles(&clock->path[i], i))
            path_set(&clock->path[i], &other->path[i]);
    if (other->issue > clock->issue)
        clock->issue = other->issue;
}

void
clock_meet(struct warp *w, const struct warp_clock *other)
{
    clock_await(&w->path_clock, other);
    w->met = clock_now(w);
}

void
clock_delay(struct warp *w, uint64_t cycles)
{
    for (unsigned i = 0; i < ASSUMPTIONS; i++)
        w->path_clock.path[i].cycles += cycles;
}

uint64_t
clock_cycles(const struct warp_clock *clock)
{
    return path_cycles(&clock->path[IF_DRAM], IF_DRAM);
}

uint64_t
clock_now(const struct warp *w)
{
    return clock_cycles(&w->path_clock);
}

uint64_t
clock_ready(const struct warp *w)
{
    return clock_now(w) + MISS_CYCLES[IF_DRAM];
}

void
clock_add_miss(struct warp_clock *c)
{
    for (unsigned i = 0; i < ASSUMPTIONS; i++) {
        c->path[i].loads++;
        c->path[i].missed++;
    }
}

void
clock_advance(struct warp *w, uint32_t cycles, uint32_t loads)
{
    for (unsigned i = 0; i < ASSUMPTIONS; i++) {
        w->path_clock.path[i].cycles += cycles;
        w->path_clock.path[i].loads += loads;
        w->path_loads[i] = loads;
    }
}

/* The path that is longest if so many loads have missed. */
static const struct region_path *
longest_path(const struct region_paths *paths, uint32_t missed, enum assumption a)
{
    const struct region_path *longest = NULL;
    uint64_t most = 0;

    for (unsigned i = 0; i < sizeof paths->path / sizeof *paths->path; i++) {
        const struct region_path *p = &paths->path[i];
        struct path_sum sum = {p->cycles, p->loads,
                               missed < p->loads ? missed : p->loads};
        uint64_t cycles = path_cycles(&sum, a);

        if (longest == NULL || cycles > most) {
            longest = p;
            most = cycles;
        }
    }
    return longest;
}

/* Of the loads on a region's path as many may have missed as loads of the region did. */
void
clock_settle(struct warp *w)
{
    for (unsigned i = 0; i < ASSUMPTIONS; i++) {
        struct path_sum *sum = &w->path_clock.path[i];
        uint32_t missed = w->missed;

        if (w->ahead != NULL) {
            const struct region_path *p = longest_path(w->ahead, missed, i);

            sum->cycles += p->cycles;
            sum->loads += p->loads;
            w->path_loads[i] = p->loads;
        }
        missed = missed < w->path_loads[i] ? missed : w->path_loads[i];
        sum->missed += missed;
        w->path_loads[i] -= missed;
    }
    w->ahead = NULL;
    w->missed = 0;
}

uint64_t
clock_settled(const struct warp *w)
{
    struct path_sum sum = w->path_clock.path[IF_DRAM];
    uint32_t missed = w->missed, loads = w->path_loads[IF_DRAM];

    if (w->ahead != NULL) {
        const struct region_path *p = longest_path(w->ahead, missed, IF_DRAM);

        sum.cycles += p->cycles;
        sum.loads += p->loads;
        loads = p->loads;
    }
    sum.missed += missed < loads ? missed : loads;
    return path_cycles(&sum, IF_DRAM);
}

/* Of a path that is taken over, the loads are another warp's. */
void
clock_take(struct warp *w, const struct warp_clock *other)
{
    clock_settle(w);
    for (unsigned i = 0; i < ASSUMPTIONS; i++)
        if (path_cycles(&other->path[i], i) > path_cycles(&w->path_clock.path[i], i)) {
            path_set(&w->path_clock.path[i], &other->path[i]);
            w->path_loads[i] = 0;
        }
    if (other->issue > w->path_clock.issue)
        w->path_clock.issue = other->issue;
    w->met = clock_now(w);
}

/* --- weights ------------------------------------------------------------- */

int
block_cost_weigh(struct kernel *k)
{
    static const struct {
        enum work work;
        enum sm_unit unit;
    } units[] = {{WORK_FP32, SM_FP32}, {WORK_FP64, SM_FP64},
                 {WORK_FP16, SM_FP16}, {WORK_INT, SM_INT},
                 {WORK_SFU, SM_SFU},   {WORK_TENSOR_TIME, SM_TENSOR}};
    struct tally_weight *all;
    uint32_t count = 0;

    if (k->weights != NULL)
        return 0;
    all = kernel_memory(k, (k->tally_count + (size_t)1) * sizeof *all);
    if (all == NULL)
        return -1;
    for (uint32_t i = 0; i < k->share_count; i++) {
        const struct share *s = &k->shares[i];

        all[s->tally].issue += s->issue_slots;
        all[s->tally].shuffles += s->work[WORK_SHUFFLE];
        for (unsigned u = 0; u < sizeof units / sizeof *units; u++)
            all[s->tally].work[units[u].unit] += s->work[units[u].work];
    }
    for (uint32_t i = 0; i < k->tally_count; i++) {
        bool any = all[i].issue != 0 || all[i].shuffles != 0;

        for (unsigned unit = 0; unit <= SM_TENSOR; unit++)
            any |= all[i].work[unit] != 0;
        all[count] = all[i];
        all[count].tally = i;
        count += any;
    }
    k->weights = all;
    k->weight_count = count;
    return 0;
}

/* --- a block's turns ----------------------------------------------------- */

int
block_cost_begin(struct worker *wk)
{
    uint32_t count = wk->run->kernel->tally_count;

    if (wk->booked_max < count) {
        free(wk->booked);
        wk->booked = malloc(count * sizeof *wk->booked);
        wk->booked_max = wk->booked != NULL ? count : 0;
        if (wk->booked == NULL)
            return -1;
    }
    if (count != 0)
        memset(wk->booked, 0, count * sizeof *wk->booked);
    wk->booked_memory = (struct booked_memory){0};
    wk->ended.count = 0;
    return 0;
}

/* Is L1 not asked? Stores and atomics, which store as well, go through to L2. */
static bool
goes_to_l2(const struct site *site, const struct site_counts *s)
{
    return s->global_store_bytes != 0 || site->past_l1;
}

uint64_t
missed_sectors(const struct site *site, const struct site_counts *s)
{
    return goes_to_l2(site, s) ? s->global_sectors : s->l1_missed_sectors;
}

uint64_t
host_sectors(const struct site *site, const struct site_counts *s)
{
    return goes_to_l2(site, s) ? s->host_sectors : s->host_missed;
}

static void
book_memory(struct block *b)
{
    struct worker *wk = b->worker;
    struct booked_memory now = {0}, *seen = &wk->booked_memory;
    uint64_t lines, sectors;

    for (uint32_t i = 0; i < wk->run->kernel->slot_count; i++) {
        const struct site_counts *s = &wk->sites[i];

        now.wavefronts += s->shared_wavefronts + s->local_wavefronts;
        now.lines += s->global_lines;
        now.sectors += s->global_sectors;
        now.missed += missed_sectors(&wk->run->kernel->slots[i], s);
    }
    lines = (now.lines - seen->lines) * 4;
    sectors = now.sectors - seen->sectors;
    b->cost.unit[SM_L1] +=
        (now.wavefronts - seen->wavefronts) * 4 + (lines > sectors ? lines : sectors);
    b->cost.unit[SM_L2] += now.missed - seen->missed;
    *seen = now;
}

void
block_cost_turn(struct block *b)
{
    struct worker *wk = b->worker;
    const struct kernel *k = wk->run->kernel;
    uint64_t sum[SM_TENSOR + 1] = {0};

    for (uint32_t i = 0; i < k->weight_count; i++) {
        const struct tally_weight *weight = &k->weights[i];
        const struct tally *now = &wk->tallies[weight->tally];
        struct tally *seen = &wk->booked[weight->tally];
        uint64_t count = now->count - seen->count, lanes = now->lanes - seen->lanes;

        if (count == 0)
            continue;
        *seen = *now;
        sum[SM_ISSUE] += count * weight->issue;
        b->cost.unit[SM_L1] += 4 * count * weight->shuffles;
#pragma GCC unroll 8
        for (unsigned unit = SM_ISSUE + 1; unit <= SM_TENSOR; unit++)
            sum[unit] += lanes * weight->work[unit];
    }
    for (unsigned unit = 0; unit <= SM_TENSOR; unit++)
        b->cost.unit[unit] += sum[unit];
    book_memory(b);
}

int
block_cost_end(const struct block *b)
{
    struct ended_blocks *e = &b->worker->ended;

    if (e->count != 0 &&
        memcmp(&e->list[e->count - 1].cost, &b->cost, sizeof b->cost) == 0) {
        e->list[e->count - 1].count++;
        return 0;
    }
    if (e->count == e->max) {
        uint32_t max = e->max != 0 ? e->max * 2 : 64;
        struct ended_block *list = realloc(e->list, max * sizeof *list);

        if (list == NULL)
            return -1;
        e->list = list;
        e->max = max;
    }
    e->list[e->count++] = (struct ended_block){b->cost, 1};
    return 0;
}
