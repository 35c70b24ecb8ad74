#include "daemon/metrics.h"

#include "base/buf.h"
#include "daemon/routes.h"

#include <stdlib.h>
#include <string.h>

/* Seconds. The first are for what waits or is judged, the others for requests. */
static const double LONG_BOUNDS[HISTOGRAM_BUCKETS] = {
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600};
static const double SHORT_BOUNDS[HISTOGRAM_BUCKETS] = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300};

void
histogram_add(struct histogram *h, double value)
{
    int i = 0;

    while (i < HISTOGRAM_BUCKETS && value > h->bound[i])
        i++;
    h->count[i]++;
    h->sum += value;
}

void
metrics_count_request(struct metrics *m, const struct route *route, int status,
                      double seconds)
{
    const size_t at = route != NULL ? (size_t)(route - routes) : route_count;
    const int class = status / 100;

    m->route[at].requests[class > 0 && class < STATUS_CLASSES ? class : 0]++;
    histogram_add(&m->route[at].seconds, seconds);
}

void
metrics_count_error(struct metrics *m, enum error_code code)
{
    static const struct {
        enum error_code code;
        enum refusal refusal;
    } CAPS[] = {
        {ERROR_QUEUE_FULL, REFUSAL_QUEUE},
        {ERROR_QUEUE_SHARE, REFUSAL_QUEUE_SHARE},
        {ERROR_QUOTA, REFUSAL_QUOTA},
        {ERROR_TOO_MANY, REFUSAL_ATTEMPTS},
    };

    for (size_t i = 0; i < sizeof CAPS / sizeof *CAPS; i++)
        if (CAPS[i].code == code)
            m->refused[CAPS[i].refusal]++;
}

void
metrics_see_devices(struct metrics *m, const struct devices *devices)
{
    for (int i = 0; i < devices->count; i++) {
        bool known = false;

        for (int j = 0; j < m->device_count; j++)
            known = known || strcmp(m->device[j], devices->entry[i].name) == 0;
        if (!known && m->device_count < DEVICES_MAX)
            m->device[m->device_count++] = xstrdup(devices->entry[i].name);
    }
}

struct metrics *
metrics_new(void)
{
    struct metrics *m = xcalloc(1, sizeof *m);

    m->wait.bound = LONG_BOUNDS;
    for (int i = 0; i < PHASE_COUNT; i++)
        m->phase[i].bound = LONG_BOUNDS;
    m->route = xcalloc(route_count + 1, sizeof *m->route);
    for (size_t i = 0; i <= route_count; i++)
        m->route[i].seconds.bound = SHORT_BOUNDS;
    return m;
}

void
metrics_free(struct metrics *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < m->device_count; i++)
        free(m->device[i]);
    free(m->route);
    free(m);
}
