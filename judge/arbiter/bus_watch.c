#include "arbiter/bus_watch.h"

#define WATCHED_MAX 32e6 /* 300 us at 100 GB/s, both directions of 16 lanes of PCIe 5 */
#define PART 8
#define NOTHING 32e3 /* launches, small arguments, a flag that is read back */

bool
bus_is_watched(const struct problem *p, double buffer_bytes)
{
    for (int i = 0; i < p->param_count; i++)
        if (p->param[i].space == SPACE_HOST_PINNED)
            return false;
    return p->gpus <= 1 && buffer_bytes <= WATCHED_MAX;
}

bool
bus_is_suspect(double empty_bytes, double call_bytes, double buffer_bytes)
{
    const double more = call_bytes - empty_bytes;

    return empty_bytes >= 0 && call_bytes >= 0 && more > NOTHING &&
           more > buffer_bytes / PART;
}
