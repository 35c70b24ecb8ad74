#include "arbiter/measuring/roofline.h"

#define NEAR 1.05

/* Operations may seem to be done by this factor faster than by a unit's rate: see
 * roofline.h. */
#define FEWER_OPERATIONS 2

static double
larger_of(double a, double b)
{
    return a > b ? a : b;
}

static double
smaller_of(double a, double b)
{
    return a < b ? a : b;
}

struct limit
limit_of(const struct device_rates *rates, const struct work *work)
{
    const double gpus = work->gpus > 1 ? work->gpus : 1;
    const double memory = gpus * rates_bytes_per_ns(rates);
    const double unit = gpus * rates_flops_per_ns(rates, work->unit);
    const double fastest =
        FEWER_OPERATIONS * larger_of(unit, gpus * rates_flops_per_ns(rates, "fp16"));
    const double kept = smaller_of(work->output_bytes, gpus * rates->cached_bytes);
    const double least = larger_of(0, smaller_of(work->bytes, work->buffer_bytes) - kept);
    const double computing = unit > 0 ? work->flops / unit : 0;
    const double moving = memory > 0 ? work->bytes / memory : 0;
    const double floor_computing = unit > 0 ? work->flops / fastest : 0;
    const double floor_moving =
        memory > 0 ? least / larger_of(memory, gpus * rates->peak_bytes_per_ns) : 0;

    return (struct limit){.ns = larger_of(computing, moving),
                          .floor_ns = larger_of(floor_computing, floor_moving),
                          .by = moving >= computing ? "memory" : work->unit};
}

enum limit_finding
limit_judge(const struct limit *limit, double median_ns, double high_ns)
{
    if (!(limit->ns > 0))
        return LIMIT_FAR;
    if (high_ns < limit->floor_ns)
        return LIMIT_BEATEN;
    return median_ns < NEAR * limit->ns ? LIMIT_NEAR : LIMIT_FAR;
}
