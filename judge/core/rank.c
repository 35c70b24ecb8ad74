#include "core/rank.h"

#include <math.h>

struct place
place_among(double time_ns, const double *others, size_t n)
{
    struct place p = {0};

    for (size_t i = 0; i < n; i++) {
        if (others[i] < time_ns)
            p.faster++;
        else if (others[i] > time_ns)
            p.slower++;
        else
            p.ties++;
    }
    return p;
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
places_of_sorted(const double *sorted_ns, size_t n, struct place *out)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && !(sorted_ns[end] > sorted_ns[first]); end++)
            ;
        for (size_t i = first; i < end; i++)
            out[i] = (struct place){.faster = (int64_t)first,
                                    .ties = (int64_t)(end - first - 1),
                                    .slower = (int64_t)(n - end)};
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
histogram(const double *sorted_ns, size_t n, struct bucket out[HISTOGRAM_BUCKETS_MAX])
{
    double low, step;
    int count, b = 0;

    if (n == 0)
        return 0;
    if (!(sorted_ns[n - 1] > sorted_ns[0])) {
        out[0] = (struct bucket){sorted_ns[0], sorted_ns[0], (int64_t)n};
        return 1;
    }
    count = bucket_count(n);
    low = log(sorted_ns[0]);
    step = (log(sorted_ns[n - 1]) - low) / count;
    for (int i = 0; i < count; i++)
        out[i] = (struct bucket){exp(low + step * i), exp(low + step * (i + 1)), 0};
    /* The ends are entries themselves: rounding of exp(log(x)) must not lose them. */
    out[0].from_ns = sorted_ns[0];
    out[count - 1].to_ns = sorted_ns[n - 1];
    for (size_t i = 0; i < n; i++) {
        while (b < count - 1 && sorted_ns[i] >= out[b].to_ns)
            b++;
        out[b].count++;
    }
    return count;
}
