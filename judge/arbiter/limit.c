#include "arbiter/limit.h"

#define NEAR 1.05

struct limit
limit_of(const struct device_rates *rates, const struct work *work)
{
    const double memory = rates_bytes_per_ns(rates);
    const double unit = rates_flops_per_ns(rates, work->unit);
    const double kept = work->output_bytes < rates->cached_bytes ? work->output_bytes
                                                                 : rates->cached_bytes;
    struct limit out = {0};

    if (memory > 0 && work->bytes > kept)
        out = (struct limit){(work->bytes - kept) / memory, "memory"};
    if (unit > 0 && work->flops / unit > out.ns)
        out = (struct limit){work->flops / unit, work->unit};
    return out;
}

enum limit_finding
limit_judge(const struct limit *limit, double median_ns, double high_ns)
{
    if (!(limit->ns > 0))
        return LIMIT_FAR;
    if (high_ns < limit->ns)
        return LIMIT_BEATEN;
    return median_ns < NEAR * limit->ns ? LIMIT_NEAR : LIMIT_FAR;
}
