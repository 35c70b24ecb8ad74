/* Pilots that have ended, though Slurm does not say how yet. The controller forgets a job
 * that slurmdbd has not heard of where slurmdbd was away meanwhile. */
#include "daemon/slurm/state.h"

#include "base/file.h"

#include <string.h>

#define LATE_NS (600 * (uint64_t)1000000000)

static struct pilot
late_remove(struct slurm *s, int at)
{
    const struct pilot p = s->late[at];

    s->late_count--;
    memmove(s->late + at, s->late + at + 1,
            (size_t)(s->late_count - at) * sizeof *s->late);
    return p;
}

bool
late_keep(struct slurm *s, struct pilot p, struct pilot *dropped)
{
    dropped->id = 0;
    p.asked_ns = now_ns();
    if (p.gone_ns == 0)
        p.gone_ns = p.asked_ns;
    if (p.asked_ns - p.gone_ns > LATE_NS)
        return false;
    if (s->late_count == SLURM_LATE)
        *dropped = late_remove(s, 0);
    s->late[s->late_count++] = p;
    return true;
}

bool
late_take(struct slurm *s, struct pilot *out)
{
    for (int i = 0; i < s->late_count; i++)
        if (s->late[i].asked_ns < s->looked_ns) {
            *out = late_remove(s, i);
            return true;
        }
    return false;
}
