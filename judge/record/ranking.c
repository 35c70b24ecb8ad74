/* Keeps a board's entries sorted, and finds places by its groups' leaders. */
#include "record/ranking.h"

#include "base/buf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ranking {
    int holders;
    struct ranked *entry; /* in the order of rank.h; of equal ones the older first */
    size_t count, capacity;
    size_t *leader; /* the first entry of each group, where `grouped` says that it is
                       known */
    size_t groups;
    bool grouped;
    uint64_t version;
};

static uint64_t last_version;

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
    free(g->entry);
    free(g->leader);
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

const struct ranked *
ranking_entry(const struct ranking *g, size_t i)
{
    return &g->entry[i];
}

/* --- changes ------------------------------------------------------------ */

/* Makes *g a ranking that only the caller holds, and that is about to change. */
static struct ranking *
ranking_own(struct ranking **g)
{
    struct ranking *old = *g, *copy;

    if (old->holders == 1) {
        old->grouped = false;
        old->version = ++last_version;
        return old;
    }
    copy = ranking_new();
    copy->count = copy->capacity = old->count;
    copy->entry = xcalloc(old->count + 1, sizeof *copy->entry);
    if (old->count > 0)
        memcpy(copy->entry, old->entry, old->count * sizeof *copy->entry);
    ranking_release(old);
    *g = copy;
    return copy;
}

/* The first entry that comes after `e`, or is equal to it where `equal` is set. */
static size_t
ranking_search(const struct ranking *g, const struct ranked *e, bool equal)
{
    size_t low = 0, high = g->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct ranked *m = &g->entry[middle];
        bool before = measured_precedes(&m->time, &e->time);

        if (!before && !measured_precedes(&e->time, &m->time))
            before =
                equal ? m->submission < e->submission : m->submission <= e->submission;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t
ranking_behind(const struct ranking *g, const struct ranked *e)
{
    return ranking_search(g, e, false);
}

void
ranking_add(struct ranking **g, const struct ranked *e)
{
    struct ranking *own = ranking_own(g);
    const size_t at = ranking_search(own, e, false);

    if (own->count >= own->capacity) {
        own->capacity = own->count < 32 ? 64 : own->count * 2;
        own->entry = xrealloc(own->entry, own->capacity * sizeof *own->entry);
    }
    memmove(&own->entry[at + 1], &own->entry[at], (own->count - at) * sizeof *own->entry);
    own->entry[at] = *e;
    own->count++;
}

void
ranking_remove(struct ranking **g, const struct ranked *e)
{
    const size_t at = ranking_search(*g, e, true);
    struct ranking *own;

    if (at == (*g)->count || (*g)->entry[at].submission != e->submission)
        return;
    own = ranking_own(g);
    own->count--;
    memmove(&own->entry[at], &own->entry[at + 1], (own->count - at) * sizeof *own->entry);
}

/* --- groups ------------------------------------------------------------- */

static void
ranking_group(struct ranking *g)
{
    size_t leader = 0, capacity = 64;

    if (g->grouped)
        return;
    g->leader = xrealloc(g->leader, capacity * sizeof *g->leader);
    g->groups = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (i > 0 && g->entry[i].time.low_ns <= g->entry[leader].time.high_ns)
            continue;
        if (g->groups == capacity) {
            capacity *= 2;
            g->leader = xrealloc(g->leader, capacity * sizeof *g->leader);
        }
        g->leader[g->groups++] = leader = i;
    }
    g->grouped = true;
}

/* How many leaders stand before entry i. */
static size_t
leaders_before(const struct ranking *g, size_t i)
{
    size_t low = 0, high = g->groups;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (g->leader[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The end of the group of this number. */
static size_t
group_end_of(const struct ranking *g, size_t group)
{
    return group + 1 < g->groups ? g->leader[group + 1] : g->count;
}

struct place
ranking_place_of(struct ranking *g, size_t i)
{
    size_t group, end;

    ranking_group(g);
    group = leaders_before(g, i + 1) - 1;
    end = group_end_of(g, group);
    return (struct place){.faster = (int64_t)g->leader[group],
                          .ties = (int64_t)(end - g->leader[group] - 1),
                          .slower = (int64_t)(g->count - end)};
}

/* --- a place among others ----------------------------------------------- */

#define NONE_GONE SIZE_MAX

/* The entries without one of them (`gone`, or NONE_GONE), and with `one` put
 * in before entry `put` of the ranking. */
struct altered {
    const struct ranking *g;
    const struct measured *one;
    size_t gone, put;
};

/* A position in it: an entry, or `one`, which stands just before entry `put`. */
struct position {
    size_t entry;
    bool is_one;
};

static const struct measured *
altered_time(const struct altered *v, struct position at)
{
    return at.is_one ? v->one : &v->g->entry[at.entry].time;
}

/* The position at an entry, or what stands there instead. */
static struct position
altered_at(const struct altered *v, size_t entry)
{
    if (entry == v->gone && entry != v->put)
        entry++;
    return (struct position){entry, entry == v->put};
}

static struct position
altered_next(const struct altered *v, struct position at)
{
    if (!at.is_one)
        return altered_at(v, at.entry + 1);
    return (struct position){at.entry + (at.entry == v->gone), false};
}

/* Is the position at a leader of the whole ranking behind which only `one` is new? */
static bool
altered_is_settled(const struct altered *v, struct position at, size_t *group)
{
    if (at.is_one || (v->gone != NONE_GONE && at.entry < v->gone))
        return false;
    *group = leaders_before(v->g, at.entry);
    return *group < v->g->groups && v->g->leader[*group] == at.entry;
}

static bool
altered_ended(const struct altered *v, struct position at)
{
    return !at.is_one && at.entry >= v->g->count;
}

/* The end of the group that `lead` leads. A leader of the whole ranking keeps its group,
 * so that only what is put in or gone is looked at. */
static struct position
altered_group_end(const struct altered *v, struct position lead)
{
    const double high = altered_time(v, lead)->high_ns;
    struct position at = altered_next(v, lead);
    size_t group;

    if (!lead.is_one) {
        group = leaders_before(v->g, lead.entry);
        if (group < v->g->groups && v->g->leader[group] == lead.entry) {
            const size_t end = group_end_of(v->g, group);

            if (v->put > lead.entry && v->put <= end && v->one->low_ns > high)
                return (struct position){v->put, true};
            at = altered_at(v, end);
        }
    }
    while (!altered_ended(v, at) && altered_time(v, at)->low_ns <= high)
        at = altered_next(v, at);
    return at;
}

/* Does this position stand behind `one`? */
static bool
altered_is_behind(const struct altered *v, struct position at)
{
    return !at.is_one && at.entry >= v->put;
}

/* How many stand before the position. */
static int64_t
altered_before(const struct altered *v, struct position at)
{
    return (int64_t)at.entry - (v->gone < at.entry) + altered_is_behind(v, at);
}

/* Where to begin: the last leader that stands before all that is altered. */
static struct position
altered_begin(const struct altered *v)
{
    const size_t first = v->put < v->gone ? v->put : v->gone;
    const size_t leaders = leaders_before(v->g, first);

    if (leaders > 0)
        return (struct position){v->g->leader[leaders - 1], false};
    return altered_at(v, 0);
}

struct place
ranking_place(struct ranking *g, const struct measured *one, const struct ranked *own)
{
    const struct ranked last_of_equal = {*one, INT64_MAX};
    struct altered v = {.g = g, .one = one, .gone = NONE_GONE};
    struct position lead, end;
    size_t group, total;

    ranking_group(g);
    v.put = ranking_search(g, &last_of_equal, false);
    if (own != NULL) {
        const size_t at = ranking_search(g, own, true);

        if (at < g->count && g->entry[at].submission == own->submission)
            v.gone = at;
    }
    lead = altered_begin(&v);
    for (;;) {
        /* From here to `one` the groups are those of the whole ranking. */
        if (altered_is_settled(&v, lead, &group) && !altered_is_behind(&v, lead))
            lead.entry = g->leader[leaders_before(g, v.put) - 1];
        end = altered_group_end(&v, lead);
        if (altered_ended(&v, end) || altered_is_behind(&v, end))
            break;
        lead = end;
    }
    total = g->count - (v.gone != NONE_GONE) + 1;
    return (struct place){.faster = altered_before(&v, lead),
                          .ties = altered_before(&v, end) - altered_before(&v, lead) - 1,
                          .slower = (int64_t)total - altered_before(&v, end)};
}
