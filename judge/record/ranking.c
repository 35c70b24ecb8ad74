/* Keeps a board's entries sorted in blocks, and marks the leaders of its groups. */
#include "record/ranking.h"

#include "base/buf.h"
#include "record/ranking_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ENTRIES_MAX 512
#define BLOCK_ENTRIES_MIN 8  /* memory is taken for */
#define BLOCK_ENTRIES_OF 384 /* of a block of ranking_of(), so that some can be added */

struct item {
    struct ranked ranked;
    bool leads;
};

/* Some entries, in the order of rank.h; of equal ones the older first. */
struct block {
    int holders; /* slots */
    size_t count, capacity;
    struct item item[];
};

/* A block's place in a ranking, with what of it is asked often. No block is empty. */
struct slot {
    struct block *block;
    size_t before;  /* how many entries stand in the slots before it */
    size_t leaders; /* how many of the block lead a group */
    double low_max_ns;
};

struct ranking {
    int holders;
    struct slot *slot;
    size_t slots, capacity;
    size_t count;
    uint64_t version;
};

static uint64_t last_version;

/* --- blocks ------------------------------------------------------------- */

/* A block with memory for so many entries at least. */
static struct block *
block_new(size_t count)
{
    size_t capacity = BLOCK_ENTRIES_MIN;
    struct block *b;

    while (capacity < count)
        capacity *= 2;
    b = xcalloc(1, sizeof *b + capacity * sizeof *b->item);
    b->holders = 1;
    b->capacity = capacity;
    return b;
}

static void
block_release(struct block *b)
{
    if (--b->holders == 0)
        free(b);
}

/* Appends `count` items. */
static void
block_append(struct block *b, const struct item *item, size_t count)
{
    memcpy(&b->item[b->count], item, count * sizeof *item);
    b->count += count;
}

/* The slot's block, which only this ranking holds from now on, with memory for so many
 * entries at least. */
static struct block *
slot_own(struct slot *s, size_t count)
{
    struct block *old = s->block;

    if (old->holders == 1 && old->capacity >= count)
        return old;
    s->block = block_new(count > old->count ? count : old->count);
    block_append(s->block, old->item, old->count);
    block_release(old);
    return s->block;
}

/* Says again what a slot says of its block. */
static void
slot_sum(struct slot *s)
{
    s->leaders = 0;
    s->low_max_ns = -INFINITY;
    for (size_t i = 0; i < s->block->count; i++) {
        const struct item *item = &s->block->item[i];

        s->leaders += item->leads;
        s->low_max_ns = fmax(s->low_max_ns, item->ranked.time.low_ns);
    }
}

/* --- rankings ----------------------------------------------------------- */

struct ranking *
ranking_new(void)
{
    struct ranking *g = xcalloc(1, sizeof *g);

    g->holders = 1;
    g->version = ++last_version;
    return g;
}

struct ranking *
ranking_hold(struct ranking *g)
{
    if (g != NULL)
        g->holders++;
    return g;
}

void
ranking_release(struct ranking *g)
{
    if (g == NULL || --g->holders > 0)
        return;
    for (size_t s = 0; s < g->slots; s++)
        block_release(g->slot[s].block);
    free(g->slot);
    free(g);
}

uint64_t
ranking_version(const struct ranking *g)
{
    return g->version;
}

size_t
ranking_count(const struct ranking *g)
{
    return g->count;
}

/* The slot of entry i. */
static size_t
slot_of(const struct ranking *g, size_t i)
{
    size_t low = 1, high = g->slots;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (g->slot[middle].before <= i)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

static const struct item *
ranking_item(const struct ranking *g, size_t i)
{
    const struct slot *s = &g->slot[slot_of(g, i)];

    return &s->block->item[i - s->before];
}

const struct ranked *
ranking_entry(const struct ranking *g, size_t i)
{
    return &ranking_item(g, i)->ranked;
}

/* Does `m` come before `e`, or, unless `equal` is set, stand where `e` does? */
static bool
ranked_is_before(const struct ranked *m, const struct ranked *e, bool equal)
{
    if (measured_precedes(&m->time, &e->time))
        return true;
    if (measured_precedes(&e->time, &m->time))
        return false;
    return equal ? m->submission < e->submission : m->submission <= e->submission;
}

size_t
ranking_search(const struct ranking *g, const struct ranked *e, bool equal)
{
    size_t low = 0, high = g->slots;
    const struct slot *s;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (ranked_is_before(&g->slot[middle].block->item[0].ranked, e, equal))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    s = &g->slot[low - 1];
    low = 1;
    high = s->block->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (ranked_is_before(&s->block->item[middle].ranked, e, equal))
            low = middle + 1;
        else
            high = middle;
    }
    return s->before + low;
}

size_t
ranking_behind(const struct ranking *g, const struct ranked *e)
{
    return ranking_search(g, e, false);
}

/* --- groups ------------------------------------------------------------- */

bool
ranking_leads(const struct ranking *g, size_t i)
{
    return ranking_item(g, i)->leads;
}

size_t
ranking_leader(const struct ranking *g, size_t i)
{
    size_t s = slot_of(g, i), left = i - g->slot[s].before + 1;

    /* Entry 0 leads, so that a leader is found. */
    for (;;) {
        const struct slot *slot = &g->slot[s];

        while (slot->leaders > 0 && left > 0)
            if (slot->block->item[--left].leads)
                return slot->before + left;
        do
            s--;
        while (g->slot[s].leaders == 0);
        left = g->slot[s].block->count;
    }
}

/* What is looked for: a leader, or an entry whose low is above a time. */
struct wanted {
    bool leader;
    double above_ns;
};

static bool
slot_may_have(const struct slot *s, const struct wanted *w)
{
    return w->leader ? s->leaders > 0 : s->low_max_ns > w->above_ns;
}

static bool
item_is_wanted(const struct item *item, const struct wanted *w)
{
    return w->leader ? item->leads : item->ranked.time.low_ns > w->above_ns;
}

/* The first that is wanted from entry i on, or the number of entries. */
static size_t
ranking_next(const struct ranking *g, size_t i, const struct wanted *w)
{
    size_t s = i < g->count ? slot_of(g, i) : g->slots;

    for (; s < g->slots; s++) {
        const struct slot *slot = &g->slot[s];
        size_t at = i > slot->before ? i - slot->before : 0;

        if (!slot_may_have(slot, w))
            continue;
        for (; at < slot->block->count; at++)
            if (item_is_wanted(&slot->block->item[at], w))
                return slot->before + at;
    }
    return g->count;
}

size_t
ranking_next_leader(const struct ranking *g, size_t i)
{
    return ranking_next(g, i, &(struct wanted){.leader = true});
}

size_t
ranking_next_above(const struct ranking *g, size_t i, double high_ns)
{
    return ranking_next(g, i, &(struct wanted){.above_ns = high_ns});
}

/* Marks entry i as a leader, or takes its mark. */
static void
ranking_mark(struct ranking *g, size_t i, bool leads)
{
    struct slot *s = &g->slot[slot_of(g, i)];
    struct item *item = &slot_own(s, 0)->item[i - s->before];

    s->leaders = s->leaders - item->leads + leads;
    item->leads = leads;
}

/* Makes the groups again after a change at entry i. From the first leader behind it that
 * was one before, they are what they were. */
static void
ranking_group(struct ranking *g, size_t i)
{
    size_t leader = 0, end, old;

    if (g->count == 0)
        return;
    if (i > 0)
        leader = ranking_leader(g, i - 1);
    else
        ranking_mark(g, 0, true);
    for (;;) {
        end = ranking_next_above(g, leader + 1, ranking_entry(g, leader)->time.high_ns);
        while ((old = ranking_next_leader(g, leader + 1)) < end)
            ranking_mark(g, old, false);
        if (end == g->count || old == end)
            return;
        ranking_mark(g, end, true);
        leader = end;
    }
}

/* --- changes ------------------------------------------------------------ */

/* Makes *g a ranking that only the caller holds, and that is about to change. */
static struct ranking *
ranking_own(struct ranking **g)
{
    struct ranking *old = *g, *copy;

    if (old->holders == 1) {
        old->version = ++last_version;
        return old;
    }
    copy = ranking_new();
    copy->count = old->count;
    copy->slots = copy->capacity = old->slots;
    copy->slot = xcalloc(old->slots + 1, sizeof *copy->slot);
    for (size_t s = 0; s < old->slots; s++) {
        copy->slot[s] = old->slot[s];
        copy->slot[s].block->holders++;
    }
    ranking_release(old);
    *g = copy;
    return copy;
}

/* Puts a slot for a block in at number s. */
static void
ranking_open_slot(struct ranking *g, size_t s, struct block *b)
{
    if (g->slots == g->capacity) {
        g->capacity = g->slots < 4 ? 8 : g->slots * 2;
        g->slot = xrealloc(g->slot, g->capacity * sizeof *g->slot);
    }
    memmove(&g->slot[s + 1], &g->slot[s], (g->slots - s) * sizeof *g->slot);
    g->slot[s] = (struct slot){.block = b};
    g->slots++;
}

/* Takes slot s out, whose block is empty or elsewhere now. */
static void
ranking_close_slot(struct ranking *g, size_t s)
{
    block_release(g->slot[s].block);
    g->slots--;
    memmove(&g->slot[s], &g->slot[s + 1], (g->slots - s) * sizeof *g->slot);
}

/* Counts anew what stands before the slots from s on, and all entries. */
static void
ranking_number(struct ranking *g, size_t s)
{
    size_t before = s > 0 ? g->slot[s - 1].before + g->slot[s - 1].block->count : 0;

    for (; s < g->slots; s++) {
        g->slot[s].before = before;
        before += g->slot[s].block->count;
    }
    g->count = before;
}

/* Moves the entries of slot s from number `keep` on into a slot of their own. */
static void
ranking_split(struct ranking *g, size_t s, size_t keep)
{
    struct block *b = slot_own(&g->slot[s], 0), *rest;

    rest = block_new(b->count - keep);
    block_append(rest, &b->item[keep], b->count - keep);
    b->count = keep;
    ranking_open_slot(g, s + 1, rest);
    slot_sum(&g->slot[s]);
    slot_sum(&g->slot[s + 1]);
    ranking_number(g, s);
}

/* The slot into which an entry is put at number i, with memory for it. */
static size_t
ranking_make_room(struct ranking *g, size_t i)
{
    size_t s;

    if (g->slots == 0)
        ranking_open_slot(g, 0, block_new(1));
    s = i < g->count ? slot_of(g, i) : g->slots - 1;
    if (g->slot[s].block->count < BLOCK_ENTRIES_MAX)
        return s;
    ranking_split(g, s, BLOCK_ENTRIES_MAX / 2);
    return i < g->slot[s + 1].before ? s : s + 1;
}

void
ranking_add(struct ranking **g, const struct ranked *e)
{
    struct ranking *own = ranking_own(g);
    const size_t at = ranking_search(own, e, false), s = ranking_make_room(own, at);
    struct block *b = slot_own(&own->slot[s], own->slot[s].block->count + 1);
    struct item *item = &b->item[at - own->slot[s].before];

    memmove(item + 1, item, (size_t)(&b->item[b->count] - item) * sizeof *item);
    *item = (struct item){.ranked = *e};
    b->count++;
    slot_sum(&own->slot[s]);
    ranking_number(own, s);
    ranking_group(own, at);
}

/* Joins slot s and the next one where both are small. */
static void
ranking_join(struct ranking *g, size_t s)
{
    const struct block *next;
    size_t count;

    if (s + 1 >= g->slots)
        return;
    next = g->slot[s + 1].block;
    count = g->slot[s].block->count + next->count;
    if (count > BLOCK_ENTRIES_MAX / 2)
        return;
    block_append(slot_own(&g->slot[s], count), next->item, next->count);
    ranking_close_slot(g, s + 1);
    slot_sum(&g->slot[s]);
}

void
ranking_remove(struct ranking **g, const struct ranked *e)
{
    const size_t at = ranking_search(*g, e, true);
    struct ranking *own;
    struct item *item;
    struct block *b;
    size_t s;

    if (at == (*g)->count || ranking_entry(*g, at)->submission != e->submission)
        return;
    own = ranking_own(g);
    s = slot_of(own, at);
    b = slot_own(&own->slot[s], 0);
    item = &b->item[at - own->slot[s].before];
    b->count--;
    memmove(item, item + 1, (size_t)(&b->item[b->count] - item) * sizeof *item);
    slot_sum(&own->slot[s]);
    if (b->count == 0)
        ranking_close_slot(own, s);
    else
        ranking_join(own, s);
    ranking_number(own, s);
    ranking_group(own, at);
}

/* --- all at once -------------------------------------------------------- */

static int
compare_ranked(const void *a, const void *b)
{
    return ranked_is_before(a, b, true) ? -1 : ranked_is_before(b, a, true);
}

struct ranking *
ranking_of(struct ranked *entry, size_t count)
{
    struct ranking *g = ranking_new();
    double high_ns = -INFINITY; /* of the leader */

    if (count > 1)
        qsort(entry, count, sizeof *entry, compare_ranked);
    for (size_t i = 0; i < count;) {
        const size_t left = count - i,
                     some = left < BLOCK_ENTRIES_OF ? left : BLOCK_ENTRIES_OF;
        struct block *b = block_new(some);

        for (; b->count < some; b->count++, i++) {
            const bool leads = i == 0 || entry[i].time.low_ns > high_ns;

            b->item[b->count] = (struct item){entry[i], leads};
            high_ns = leads ? entry[i].time.high_ns : high_ns;
        }
        ranking_open_slot(g, g->slots, b);
        slot_sum(&g->slot[g->slots - 1]);
    }
    ranking_number(g, 0);
    return g;
}
