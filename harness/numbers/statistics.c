/* Quantiles, the median's interval and the interval of a difference. */
#include "numbers/statistics.h"

#include "base/buf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double *
sorted_copy(const double *samples, int n)
{
    double *sorted = xmalloc((size_t)n * sizeof *sorted);

    memcpy(sorted, samples, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return sorted;
}

double
quantile(const double *samples, int n, double p)
{
    double *sorted = sorted_copy(samples, n);
    double at = p * (n - 1);
    int below = (int)floor(at);
    double value = sorted[below];

    if (below + 1 < n)
        value += (at - below) * (sorted[below + 1] - sorted[below]);
    free(sorted);
    return value;
}

/* n is a few hundred at most, for which 2^-n does not underflow. */
int
median_interval_rank(int n)
{
    double exactly = ldexp(1.0, -n), below = 0; /* P(B = k), P(B < k + 1) */
    int k = 0;

    for (;;) {
        below += exactly;
        if (n <= 0 || 2 * below > 1 - CONFIDENCE)
            return k;
        exactly *= (double)(n - k) / (k + 1);
        k++;
    }
}

struct interval
median_interval(const double *samples, int n)
{
    double *sorted = sorted_copy(samples, n);
    int k = median_interval_rank(n);
    struct interval out;

    if (k == 0)
        k = 1;
    out = (struct interval){sorted[k - 1], sorted[n - k]};
    free(sorted);
    return out;
}

struct interval
redrawn_interval(const double *samples, int n)
{
    /* By n - 3: how many ranges the upper end is above the largest sample. Each is the
     * largest that 500,000 draws needed of normal, uniform, exponential, lognormal and
     * Laplace samples, in all but one draw of a thousand. */
    static const double above[] = {14, 4, 1.9, 1, 0.6, 0.35, 0.15};
    const int known = (int)(sizeof above / sizeof *above);
    const double smallest = quantile(samples, n, 0), largest = quantile(samples, n, 1);
    const double part = n - 3 < known ? above[n - 3] : 0;

    return (struct interval){.low = median_interval(samples, n).low,
                             .high = largest + part * (largest - smallest)};
}

struct interval
interval_difference(double a, struct interval of_a, double b, struct interval of_b)
{
    return (struct interval){.low = a - b - hypot(a - of_a.low, of_b.high - b),
                             .high = a - b + hypot(of_a.high - a, b - of_b.low)};
}
