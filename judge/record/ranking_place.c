/* Finds places by the leaders of a ranking's groups, and counts its histogram. */
#include "record/ranking_groups.h"

#include <math.h>

struct place
ranking_place_of(const struct ranking *g, size_t i)
{
    const size_t first = ranking_leader(g, i), end = ranking_next_leader(g, i + 1);

    return (struct place){.faster = (int64_t)first,
                          .ties = (int64_t)(end - first - 1),
                          .slower = (int64_t)(ranking_count(g) - end)};
}

/* --- a place among others ----------------------------------------------- */

#define NONE_GONE SIZE_MAX

/* A ranking's entries without one of them, and with `one` put in. Its positions are
 * numbered from 0 on. */
struct altered {
    const struct ranking *g;
    const struct measured *one;
    size_t gone; /* the entry that is left out, or NONE_GONE */
    size_t put;  /* the position of `one` */
    size_t total;
};

/* The entry at a position where `one` does not stand, or behind `one` where it does. */
static size_t
altered_entry(const struct altered *v, size_t position)
{
    const size_t left = position - (position > v->put);

    return left + (left >= v->gone);
}

/* The position of an entry that is not left out. */
static size_t
altered_position(const struct altered *v, size_t entry)
{
    const size_t left = entry - (entry > v->gone);

    return left + (left >= v->put);
}

static const struct measured *
altered_time(const struct altered *v, size_t position)
{
    return position == v->put ? v->one
                              : &ranking_entry(v->g, altered_entry(v, position))->time;
}

/* The end of the group that the position leads. */
static size_t
altered_group_end(const struct altered *v, size_t leader)
{
    const double high_ns = altered_time(v, leader)->high_ns;
    size_t entry = ranking_next_above(v->g, altered_entry(v, leader + 1), high_ns), end;

    if (entry == v->gone)
        entry = ranking_next_above(v->g, entry + 1, high_ns);
    end = altered_position(v, entry);
    if (leader < v->put && v->put < end && v->one->low_ns > high_ns)
        return v->put;
    return end;
}

/* Are the groups from this leader up to `one` those of the whole ranking? Where an entry
 * before `one` is left out, the leader must stand behind that. */
static bool
altered_is_settled(const struct altered *v, size_t leader)
{
    return leader < v->put && ranking_leads(v->g, altered_entry(v, leader));
}

/* The first position from which on the groups must be made again: the leader before all
 * that is altered. */
static size_t
altered_begin(const struct altered *v)
{
    const size_t first = v->put < v->gone ? v->put : v->gone;

    return first == 0 ? 0 : ranking_leader(v->g, first - 1);
}

struct place
ranking_place(const struct ranking *g, const struct measured *one,
              const struct ranked *own)
{
    const struct ranked last_of_equal = {*one, INT64_MAX};
    struct altered v = {.g = g, .one = one, .gone = NONE_GONE};
    size_t leader, end;

    v.put = ranking_search(g, &last_of_equal, false);
    if (own != NULL) {
        const size_t at = ranking_search(g, own, true);

        if (at < ranking_count(g) && ranking_entry(g, at)->submission == own->submission)
            v.gone = at;
    }
    v.put -= v.gone < v.put;
    v.total = ranking_count(g) - (v.gone != NONE_GONE) + 1;
    leader = altered_begin(&v);
    while ((end = altered_group_end(&v, leader)) <= v.put) {
        leader = end;
        if (altered_is_settled(&v, leader))
            leader =
                altered_position(&v, ranking_leader(g, altered_entry(&v, v.put - 1)));
    }
    return (struct place){.faster = (int64_t)leader,
                          .ties = (int64_t)(end - leader - 1),
                          .slower = (int64_t)(v.total - end)};
}

/* --- the histogram ------------------------------------------------------ */

/* How many entries are faster than a time. */
static size_t
ranking_faster_than(const struct ranking *g, double time_ns)
{
    const struct ranked first = {{time_ns, -INFINITY, -INFINITY}, INT64_MIN};

    return ranking_search(g, &first, true);
}

int
ranking_histogram(const struct ranking *g, struct bucket out[HISTOGRAM_BUCKETS_MAX])
{
    const size_t count = ranking_count(g);
    size_t before = 0;
    int buckets;

    if (count == 0)
        return 0;
    buckets = histogram_buckets(ranking_entry(g, 0)->time.time_ns,
                                ranking_entry(g, count - 1)->time.time_ns, count, out);
    for (int b = 0; b < buckets; b++) {
        const size_t end = b < buckets - 1 ? ranking_faster_than(g, out[b].to_ns) : count;

        out[b].count = (int64_t)(end - before);
        before = end;
    }
    return buckets;
}
