#include "arbiter/measuring/host_busy.h"

#define LATE_MAX 50
#define PREEMPTED_MAX 300

bool
host_busy_counts(struct host_busy *b, bool late, bool preempted)
{
    b->preempted += preempted;
    if (preempted)
        return false;
    if (!late || b->late == LATE_MAX)
        return true;
    b->late++;
    return false;
}

bool
host_busy_always(const struct host_busy *b)
{
    return b->preempted > PREEMPTED_MAX;
}
