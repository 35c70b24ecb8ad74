#include "daemon/idle.h"

#include "daemon/daemon.h"
#include "daemon/house.h"
#include "daemon/rejudge.h"
#include "record/store.h"

#define STOPPED "the judge was stopped"

bool
idle_next(struct daemon *d, const char *device, struct idle_work *out)
{
    return rejudge_next(d->rejudge, device, out) || house_next(d, device, out);
}

void
idle_check_devices(struct daemon *d)
{
    rejudge_check_devices(d);
    house_check_devices(d);
}

int
idle_take(struct daemon *d, enum idle_kind kind, int64_t run, int64_t id,
          const struct finished_submission *finished, struct report *r)
{
    if (kind == IDLE_HOUSE)
        return house_take(d, run, id, finished, r);
    rejudge_take(d, run, id, finished);
    return 0;
}

bool
idle_is_under_way(const struct daemon *d)
{
    return rejudge_is_under_way(d->rejudge) || house_is_under_way(d->house);
}

void
idle_stop(struct daemon *d)
{
    rejudge_cancel(d, STOPPED);
    house_cancel(d, STOPPED);
}
