#include "daemon/queue_census.h"

#include "base/file.h"
#include "daemon/attempt.h"

#include <string.h>

const char *const census_phases[CENSUS_COUNT] = {
    [QUEUED] = "queued",     [COMPILING] = "compiling", [READY] = "ready",
    [RUNNING] = "running",   [READING] = "reading",     [UNSAVED] = "unsaved",
    [DRAINING] = "draining",
};

/* The place of a device in the list, or -1. */
static int
census_device(const struct devices *devices, const char *name)
{
    for (int i = 0; name != NULL && i < devices->count; i++)
        if (strcmp(devices->entry[i].name, name) == 0)
            return i;
    return -1;
}

static void
census_add_devices(const struct devices *devices, const struct attempt *a,
                   struct queue_census *out)
{
    const int own = census_device(devices, a->device);
    const int partner = census_device(devices, a->partner);
    const bool holds =
        a->phase >= RUNNING && a->arbiter != NULL && !attempt_is_leaving(a);

    if (own >= 0) {
        out->device[own].busy += holds;
        out->device[own].waiting += a->phase < RUNNING;
    }
    if (partner >= 0)
        out->device[partner].busy += holds;
}

void
queue_census(const struct queue *q, const struct devices *devices,
             struct queue_census *out)
{
    const int64_t now = now_ms();

    *out = (struct queue_census){0};
    for (const struct attempt *a = queue_first(q); a != NULL; a = a->next) {
        const double waits_s = (double)(now - a->created_ms) / 1000;

        out->phase[a->phase]++;
        census_add_devices(devices, a, out);
        if (a->phase < RUNNING && waits_s > out->oldest_s)
            out->oldest_s = waits_s;
    }
}

bool
queue_is_drained(const struct queue *q)
{
    for (const struct attempt *a = queue_first(q); a != NULL; a = a->next)
        if (a->phase == RUNNING || a->phase == READING || a->phase == UNSAVED ||
            (attempt_is_leaving(a) && a->arbiter != NULL))
            return false;
    return true;
}
