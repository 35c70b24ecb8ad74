#include "arbiter/measuring/bus_watch.h"

#include "arbiter/calling/call_set.h"

/* An eighth of the work is free, but no more than a GPU's memory moves in a microsecond.
 */
#define PART 8
#define FREE_MAX 4e6
#define FREE_MIN 32e3 /* some dozen launches, and 15 kB for asking for the count */

/* Beside contexts that were made without a pause, 8 and 18% of calls sent more than this,
 * 30% more than half of it, and 59 to 94% more than FREE_MIN. */
#define CONTEXT_BYTES 500e3

/* Launches without a pause sent 125 and 174 bytes a microsecond. */
#define LAUNCH_BYTES_PER_NS 0.25

bool
bus_is_watched(const struct problem *p)
{
    for (int i = 0; i < p->param_count; i++)
        if (p->param[i].dir != DIR_SCALAR && p->param[i].space == SPACE_HOST_PINNED)
            return false;
    return p->gpus <= 1;
}

bool
bus_is_silent(const struct problem *p)
{
    for (int i = 0; i < p->param_count; i++) {
        const enum compare_mode mode = problem_tolerance(p, i, true).mode;

        if (param_is_output(&p->param[i]) &&
            (mode == COMPARE_UNORDERED || mode == COMPARE_CHECKER))
            return false;
    }
    return !p->has_inputs_c;
}

double
bus_beyond_empty(double empty_bytes, double call_bytes)
{
    if (empty_bytes < 0 || call_bytes < 0)
        return -1;
    return call_bytes > empty_bytes ? call_bytes - empty_bytes : 0;
}

double
bus_free_bytes(double work_bytes, double buffer_bytes)
{
    const bool few = work_bytes > 0 && work_bytes < buffer_bytes;
    const double part = (few ? work_bytes : buffer_bytes) / PART;

    if (part < FREE_MIN)
        return FREE_MIN;
    return part < FREE_MAX ? part : FREE_MAX;
}

bool
bus_is_narrow(double bus_free)
{
    return bus_free < CONTEXT_BYTES;
}

double
bus_free_of_launches(double beyond_empty_ns)
{
    return beyond_empty_ns > 0 ? LAUNCH_BYTES_PER_NS * beyond_empty_ns : 0;
}
