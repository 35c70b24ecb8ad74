/* The limits of ranked intervals. */
#include "record/ranked_interval.h"

#include <math.h>
#include <string.h>

struct measured
ranked_interval(const struct measured *m, const char *device)
{
    const double least = strcmp(device, "emu") == 0 ? 0 : RANKED_GPU_NS;
    const double below = fmax(m->time_ns * RANKED_BELOW, least),
                 above = fmax(fmax(m->time_ns * RANKED_ABOVE, least),
                              (m->time_ns - m->low_ns) * RANKED_ABOVE_TIMES);

    return (struct measured){.time_ns = m->time_ns,
                             .low_ns = fmax(m->low_ns, m->time_ns - below),
                             .high_ns = fmin(m->high_ns, m->time_ns + above)};
}

enum ranked_order
ranked_compare(const struct measured *before, const struct measured *after,
               const char *device)
{
    const struct measured old = ranked_interval(before, device),
                          new = ranked_interval(after, device);

    return new.high_ns < old.low_ns   ? RANKED_FASTER
           : old.high_ns < new.low_ns ? RANKED_SLOWER
                                      : RANKED_UNSURE;
}
