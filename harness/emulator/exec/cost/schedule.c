/*
 * Greedy list scheduling: the next block goes to the place that is free first, of equal
 * ones to the one with the lowest number. Places are numbered SM by SM in turns, so that
 * the first blocks are spread over all SMs, as on a GPU. When a place is free follows
 * from each block's duration as if it had its SM for itself. Only the order is decided by
 * that; what the launch takes is derived from the sums afterwards (model.c).
 *
 * Equal blocks in a row are placed together. Where the place that is free first would be
 * free last with one of them more, they go to all places in turns.
 *
 * A heap holds, of each place, the time at which it is free and its number in one word.
 * Times are whole cycles and all sums are of integers: no rounding, the same everywhere.
 */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BITS = 14 };
#define TIME_MAX (UINT64_MAX >> PLACE_BITS)

struct schedule {
    uint32_t sms, count, max, sm_max; /* count: places in use */
    uint32_t free;                    /* places in the heap; the others have a block */
    uint64_t *heap;
    struct schedule_place *places;
    uint64_t (*units)[SM_UNITS]; /* by SM */
    double cycles_per[SM_UNITS];
    double load_cycles, miss_cycles, start_cycles;
    struct ended_block pending; /* equal blocks that were added and have no place yet */
};

struct schedule *
schedule_new(void)
{
    return calloc(1, sizeof(struct schedule));
}

void
schedule_free(struct schedule *s)
{
    if (s == NULL)
        return;
    free(s->heap);
    free(s->places);
    free(s->units);
    free(s);
}

static int
schedule_reserve(struct schedule *s, uint32_t places, uint32_t sms)
{
    if (s->max < places) {
        free(s->heap);
        free(s->places);
        s->heap = malloc(places * sizeof *s->heap);
        s->places = malloc(places * sizeof *s->places);
        s->max = s->heap != NULL && s->places != NULL ? places : 0;
        if (s->max == 0)
            return -1;
    }
    if (s->sm_max < sms) {
        free(s->units);
        s->units = malloc(sms * sizeof *s->units);
        s->sm_max = s->units != NULL ? sms : 0;
        if (s->sm_max == 0)
            return -1;
    }
    return 0;
}

/* Cycles that one of it takes of a unit of one SM. */
static void
set_rates(struct schedule *s, const struct device_model *d)
{
    s->cycles_per[SM_ISSUE] = 1 / d->schedulers_per_sm;
    s->cycles_per[SM_FP32] = 0.5 / d->fp32_lanes;
    s->cycles_per[SM_FP64] = 0.5 / d->fp64_lanes;
    s->cycles_per[SM_FP16] = 0.5 / d->fp16_lanes;
    s->cycles_per[SM_INT] = 1 / d->int_lanes;
    s->cycles_per[SM_SFU] = 1 / d->sfu_lanes;
    s->cycles_per[SM_TENSOR] = 1 / d->tensor_flops;
    s->cycles_per[SM_L1] = 0.25;
    s->cycles_per[SM_L2] = 32 / d->l2_bytes_per_sm_clock;
    s->load_cycles = d->l1_latency_ns * d->clock_ghz;
    s->miss_cycles = (d->memory_latency_ns - d->l1_latency_ns) * d->clock_ghz;
    s->start_cycles = d->block_start_ns * d->clock_ghz;
}

int
schedule_begin(struct schedule *s, const struct device_model *d, uint64_t blocks,
               uint32_t per_sm)
{
    uint64_t places = (uint64_t)d->sms * (per_sm != 0 ? per_sm : 1);

    places = blocks < places ? blocks : places;
    places = places < (1u << PLACE_BITS) ? places : (1u << PLACE_BITS) - 1;
    if (schedule_reserve(s, (uint32_t)places, (uint32_t)d->sms) != 0)
        return -1;
    s->sms = (uint32_t)d->sms;
    s->count = (uint32_t)places;
    s->free = s->count;
    s->pending.count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        s->heap[i] = i; /* all free at 0 */
    if (s->count != 0)
        memset(s->places, 0, s->count * sizeof *s->places);
    memset(s->units, 0, (s->count < s->sms ? s->count : s->sms) * sizeof *s->units);
    set_rates(s, d);
    return 0;
}

static uint64_t
duration_of(const struct schedule *s, const struct block_cost *c)
{
    const struct path_sum *path = &c->clock.path[IF_DRAM];
    /* A path that was taken over from another block may have fewer loads than the place's
     * own, and more cycles, or the other way round. */
    double cycles = (double)(int64_t)path->cycles +
                    (double)(int64_t)path->loads * s->load_cycles +
                    (double)(int64_t)path->missed * s->miss_cycles;

    cycles = (double)c->clock.issue > cycles ? (double)c->clock.issue : cycles;
    for (unsigned unit = 0; unit < SM_UNITS; unit++)
        if ((double)c->unit[unit] * s->cycles_per[unit] > cycles)
            cycles = (double)c->unit[unit] * s->cycles_per[unit];
    return (uint64_t)(cycles + s->start_cycles) + 1;
}

static uint32_t
heap_place(uint64_t word)
{
    return (uint32_t)(word & ((1u << PLACE_BITS) - 1));
}

static uint64_t
later(uint64_t time, uint64_t duration)
{
    return time > TIME_MAX - duration ? TIME_MAX : time + duration;
}

/* Puts a word where the first one of the heap was. */
static void
heap_replace(struct schedule *s, uint64_t first)
{
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 4 * at + 1, end = child + 4 < s->free ? child + 4 : s->free;
        uint32_t least = child;

        if (child >= s->free)
            break;
        for (uint32_t i = child + 1; i < end; i++)
            least = s->heap[i] < s->heap[least] ? i : least;
        if (s->heap[least] >= first)
            break;
        s->heap[at] = s->heap[least];
        at = least;
    }
    s->heap[at] = first;
}

/* The first place of the heap becomes free so much later. Returns its number. */
static uint32_t
heap_delay(struct schedule *s, uint64_t duration)
{
    uint32_t place = heap_place(s->heap[0]);

    heap_replace(s, later(s->heap[0] >> PLACE_BITS, duration) << PLACE_BITS | place);
    return place;
}

static void
place_take(struct schedule *s, uint32_t number, const struct block_cost *c,
           uint64_t count)
{
    struct schedule_place *place = &s->places[number];
    uint64_t *units = s->units[number % s->sms];

    place->blocks += count;
    for (unsigned a = 0; a < ASSUMPTIONS; a++) {
        place->clock.path[a].cycles += count * c->clock.path[a].cycles;
        place->clock.path[a].loads += count * c->clock.path[a].loads;
        place->clock.path[a].missed += count * c->clock.path[a].missed;
    }
    place->clock.issue += count * c->clock.issue;
    for (unsigned unit = 0; unit < SM_UNITS; unit++)
        units[unit] += count * c->unit[unit];
}

/* Do the places take turns, in the order in which the heap has them, for so many rounds
 * of blocks of this duration? */
static bool
heap_takes_turns(const struct schedule *s, uint64_t duration, uint64_t rounds)
{
    uint64_t last = s->heap[s->count - 1];

    for (uint32_t i = 1; i < s->count; i++)
        if (s->heap[i - 1] > s->heap[i])
            return false;
    return duration <= (TIME_MAX - (last >> PLACE_BITS)) / rounds &&
           s->heap[0] + (duration << PLACE_BITS) > last;
}

/* Gives as many of the blocks as there are whole rounds to all places in turns, if that
 * is the order. Returns how many blocks are left. */
static uint64_t
place_rounds(struct schedule *s, const struct ended_block *blocks, uint64_t duration)
{
    uint64_t rounds = blocks->count / s->count;

    if (rounds == 0 || !heap_takes_turns(s, duration, rounds))
        return blocks->count;
    for (uint32_t i = 0; i < s->count; i++) {
        s->heap[i] += rounds * duration << PLACE_BITS;
        place_take(s, heap_place(s->heap[i]), &blocks->cost, rounds);
    }
    return blocks->count % s->count;
}

void
schedule_end(struct schedule *s)
{
    uint64_t duration, left;

    if (s->pending.count == 0)
        return;
    duration = duration_of(s, &s->pending.cost);
    left = place_rounds(s, &s->pending, duration);
    for (; left > 0; left--)
        place_take(s, heap_delay(s, duration), &s->pending.cost, 1);
    s->pending.count = 0;
}

void
schedule_add(struct schedule *s, const struct ended_block *blocks)
{
    if (s->pending.count != 0 &&
        memcmp(&s->pending.cost, &blocks->cost, sizeof blocks->cost) == 0) {
        s->pending.count += blocks->count;
        return;
    }
    schedule_end(s);
    s->pending = *blocks;
}

/* --- blocks that may wait for each other ---------------------------------- */

uint64_t
schedule_free_at(const struct schedule *s)
{
    return s->free != 0 ? s->heap[0] >> PLACE_BITS : UINT64_MAX;
}

uint32_t
schedule_free_places(const struct schedule *s)
{
    return s->free;
}

uint32_t
schedule_take(struct schedule *s, struct warp_clock *begin)
{
    uint32_t place = heap_place(s->heap[0]);

    s->places[place].taken_at = s->heap[0] >> PLACE_BITS;
    *begin = s->places[place].clock;
    s->free--;
    heap_replace(s, s->heap[s->free]);
    return place;
}

/* The part of a block's clock that is its own. */
static struct warp_clock
clock_since(const struct warp_clock *end, const struct warp_clock *begin)
{
    struct warp_clock c = {.issue = end->issue - begin->issue};

    for (unsigned a = 0; a < ASSUMPTIONS; a++)
        c.path[a] = (struct path_sum){end->path[a].cycles - begin->path[a].cycles,
                                      end->path[a].loads - begin->path[a].loads,
                                      end->path[a].missed - begin->path[a].missed};
    return c;
}

void
schedule_give_back(struct schedule *s, uint32_t number, const struct block_cost *c)
{
    struct schedule_place *place = &s->places[number];
    struct block_cost own = *c;
    uint64_t word;
    uint32_t at = s->free++;

    own.clock = clock_since(&c->clock, &place->clock);
    word = later(place->taken_at, duration_of(s, &own)) << PLACE_BITS | number;
    place_take(s, number, &own, 1);
    for (; at > 0 && s->heap[(at - 1) / 4] > word; at = (at - 1) / 4)
        s->heap[at] = s->heap[(at - 1) / 4];
    s->heap[at] = word;
}

/* --- what came of it ------------------------------------------------------- */

const struct schedule_place *
schedule_places(const struct schedule *s, uint32_t *count)
{
    *count = s->count;
    return s->places;
}

uint64_t
schedule_most(const struct schedule *s, enum sm_unit unit)
{
    uint64_t most = 0;

    for (uint32_t sm = 0; sm < s->sms && sm < s->count; sm++)
        most = s->units[sm][unit] > most ? s->units[sm][unit] : most;
    return most;
}
