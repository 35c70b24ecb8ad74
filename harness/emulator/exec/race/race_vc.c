/*
 * Vector clocks. Each is a sorted list, whose entries say that the accesses of a thread,
 * a warp or a block with smaller stamps are known. race_clock.c uses them, and bounds
 * their cost.
 */
#include "race_vc.h"

#include <stdlib.h>
#include <string.h>

static int
compare_entries(const struct race_vc_entry *a, uint32_t block, uint32_t key)
{
    if (a->block != block)
        return a->block < block ? -1 : 1;
    return a->key < key ? -1 : a->key > key;
}

/* Index of the first entry that is not before (block, key). */
static uint32_t
vc_bound(const struct race_vc *vc, uint32_t block, uint32_t key)
{
    uint32_t low = 0, high = vc->count;

    while (low < high) {
        uint32_t mid = (low + high) / 2;

        if (compare_entries(&vc->entries[mid], block, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t
race_vc_get(const struct race_vc *vc, uint32_t block, uint32_t key, bool is_read)
{
    uint32_t i = vc_bound(vc, block, key);

    if (i == vc->count || compare_entries(&vc->entries[i], block, key) != 0)
        return 0;
    return is_read ? vc->entries[i].reads : vc->entries[i].stamp;
}

static void
take_larger(struct race_vc_entry *e, const struct race_vc_entry *other)
{
    if (e->stamp < other->stamp)
        e->stamp = other->stamp;
    if (e->reads < other->reads)
        e->reads = other->reads;
}

static bool
vc_room(struct race_vc *vc, uint32_t count)
{
    struct race_vc_entry *entries;
    uint32_t max = vc->max != 0 ? vc->max : 8;

    if (count <= vc->max)
        return true;
    while (max < count)
        max *= 2;
    entries = realloc(vc->entries, max * sizeof *entries);
    if (entries == NULL)
        return false;
    vc->entries = entries;
    vc->max = max;
    return true;
}

void
race_vc_put(struct race *r, struct race_vc *vc, uint32_t block, uint32_t key,
            uint32_t stamp)
{
    struct race_vc_entry e = {block, key, stamp, stamp};
    uint32_t i = vc_bound(vc, block, key);

    if (i < vc->count && compare_entries(&vc->entries[i], block, key) == 0) {
        take_larger(&vc->entries[i], &e);
        return;
    }
    if (!vc_room(vc, vc->count + 1)) {
        r->blind = true;
        return;
    }
    memmove(&vc->entries[i + 1], &vc->entries[i], (vc->count - i) * sizeof *vc->entries);
    vc->entries[i] = e;
    vc->count++;
}

/* Everybody is known up to the stamp. Removes the entries that say less. */
static void
vc_raise(struct race_vc *vc, uint32_t all)
{
    uint32_t kept = 0;

    vc->all = all;
    for (uint32_t i = 0; i < vc->count; i++)
        if (vc->entries[i].reads > all)
            vc->entries[kept++] = vc->entries[i];
    vc->count = kept;
}

void
race_vc_join(struct race *r, struct race_vc *to, const struct race_vc *from)
{
    struct race_vc out = {.all = to->all > from->all ? to->all : from->all};
    uint32_t i = 0, k = 0;

    out.all_reads = to->all_reads > from->all_reads ? to->all_reads : from->all_reads;
    r->work += to->count + from->count;
    if (from->count == 0) {
        to->all_reads = out.all_reads;
        if (out.all > to->all)
            vc_raise(to, out.all);
        return;
    }
    if (!vc_room(&out, to->count + from->count) || out.entries == NULL) {
        r->blind = true;
        return;
    }
    while (i < to->count || k < from->count) {
        struct race_vc_entry e;
        int order = i == to->count ? 1
                    : k == from->count
                        ? -1
                        : compare_entries(&to->entries[i], from->entries[k].block,
                                          from->entries[k].key);

        e = order <= 0 ? to->entries[i] : from->entries[k];
        if (order == 0)
            take_larger(&e, &from->entries[k]);
        i += order <= 0;
        k += order >= 0;
        if (e.reads > out.all)
            out.entries[out.count++] = e;
    }
    free(to->entries);
    *to = out;
}

void
race_vc_free(struct race_vc **vc)
{
    if (*vc != NULL)
        free((*vc)->entries);
    free(*vc);
    *vc = NULL;
}

struct race_vc *
race_vc_at(struct race *r, struct race_vc **vc)
{
    if (*vc == NULL)
        *vc = calloc(1, sizeof **vc);
    if (*vc == NULL)
        r->blind = true;
    return *vc;
}

void
race_vc_join_at(struct race *r, struct race_vc **to, const struct race_vc *from)
{
    if (from != NULL && race_vc_at(r, to) != NULL)
        race_vc_join(r, *to, from);
}
