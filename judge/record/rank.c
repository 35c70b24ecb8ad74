/* Groups of a sorted board, places within it, and the histogram of its times. */
#include "record/rank.h"

#include "base/buf.h"

#include <math.h>
#include <stdlib.h>

bool
measured_precedes(const struct measured *a, const struct measured *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->low_ns != b->low_ns)
        return a->low_ns < b->low_ns;
    return a->high_ns < b->high_ns;
}

/* The end of the group that sorted[first] leads. */
static size_t
group_end(const struct measured *sorted, size_t n, size_t first)
{
    size_t end = first + 1;

    while (end < n && sorted[end].low_ns <= sorted[first].high_ns)
        end++;
    return end;
}

static struct place
place_in_group(size_t first, size_t end, size_t n)
{
    return (struct place){.faster = (int64_t)first,
                          .ties = (int64_t)(end - first - 1),
                          .slower = (int64_t)(n - end)};
}

struct place
place_among(const struct measured *one, const struct measured *others, size_t n)
{
    struct measured *all = xcalloc(n + 1, sizeof *all);
    struct place place = {0};
    size_t at = 0, first = 0, end;

    while (at < n && !measured_precedes(one, &others[at]))
        at++;
    for (size_t i = 0; i < at; i++)
        all[i] = others[i];
    all[at] = *one;
    for (size_t i = at; i < n; i++)
        all[i + 1] = others[i];
    while ((end = group_end(all, n + 1, first)) <= at)
        first = end;
    place = place_in_group(first, end, n + 1);
    free(all);
    return place;
}

int64_t
place_rank(const struct place *p)
{
    return p->faster + 1;
}

double
place_percentile(const struct place *p)
{
    int64_t others = p->faster + p->ties + p->slower;

    if (others == 0)
        return 100.0;
    return 100.0 * ((double)p->slower + (double)p->ties / 2.0) / (double)others;
}

void
places_of_sorted(const struct measured *sorted, size_t n, struct place *out)
{
    for (size_t first = 0, end; first < n; first = end) {
        end = group_end(sorted, n, first);
        for (size_t i = first; i < end; i++)
            out[i] = place_in_group(first, end, n);
    }
}

/* H. A. Sturges, "The choice of a class interval", JASA 21 (1926). */
static int
bucket_count(size_t n)
{
    int count = (int)ceil(log2((double)n)) + 1;

    return count < HISTOGRAM_BUCKETS_MAX ? count : HISTOGRAM_BUCKETS_MAX;
}

int
histogram_buckets(double fastest_ns, double slowest_ns, size_t n,
                  struct bucket out[HISTOGRAM_BUCKETS_MAX])
{
    const int count = slowest_ns > fastest_ns ? bucket_count(n) : 1;
    const double low = log(fastest_ns), step = (log(slowest_ns) - low) / count;
    double from = fastest_ns;

    /* The fastest and the slowest time are the ends exactly, and no end is below the one
     * before, however exp(log(x)) is rounded. */
    for (int i = 0; i < count; i++) {
        const double to =
            i < count - 1 ? fmax(from, exp(low + step * (i + 1))) : slowest_ns;

        out[i] = (struct bucket){from, to, 0};
        from = to;
    }
    return count;
}

int
histogram(const double *sorted_ns, size_t n, struct bucket out[HISTOGRAM_BUCKETS_MAX])
{
    int count, b = 0;

    if (n == 0)
        return 0;
    count = histogram_buckets(sorted_ns[0], sorted_ns[n - 1], n, out);
    for (size_t i = 0; i < n; i++) {
        while (b < count - 1 && sorted_ns[i] >= out[b].to_ns)
            b++;
        out[b].count++;
    }
    return count;
}
