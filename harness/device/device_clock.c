/* The clock of a device: the host's, or the modelled time of an emulated GPU. */
#include "device/device_ops.h"

#include <math.h>
#include <time.h>

enum { MODEL_STEPS = 1024 }; /* this many steps are a nanosecond */

static int
clock_read(struct device *d, double *ns, struct report *r)
{
    struct timespec ts;

    if (d->ops->modelled_ns != NULL)
        return d->ops->modelled_ns(d, ns, r);
    if (clock_gettime(CLOCK_MONOTONIC_RAW, &ts) != 0)
        return report_errno(r, "the clock cannot be read");
    *ns = (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
    return 0;
}

int
device_clock_begin(struct device *d, struct report *r)
{
    if (clock_read(d, &d->clock_start_ns, r) != 0)
        return -1;
    d->clock_running = true;
    return 0;
}

void
device_clock_resume(struct device *d)
{
    d->clock_start_ns = d->clock_end_ns;
    d->clock_running = true;
}

int
device_clock_lap(struct device *d, double *ns, struct report *r)
{
    double now = 0;

    if (!d->clock_running)
        return report_fail(r, "the clock was read before it was started");
    if (clock_read(d, &now, r) != 0)
        return -1;
    d->clock_end_ns = now;
    *ns = now - d->clock_start_ns;
    /* Rounds the time. The last bits of a difference of two sums depend on what was
     * summed before, but a modelled time must not. */
    if (d->ops->modelled_ns != NULL)
        *ns = rint(*ns * MODEL_STEPS) / MODEL_STEPS;
    return 0;
}

int
device_clock_end(struct device *d, double *ns, struct report *r)
{
    if (device_clock_lap(d, ns, r) != 0)
        return -1;
    d->clock_running = false;
    return 0;
}

bool
device_clock_modelled(const struct device *d)
{
    return d->ops->modelled_ns != NULL;
}
