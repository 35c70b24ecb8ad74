#include "arbiter/calling/host.h"

#include "runner/awake.h"

#define CPUS_MIN 4 /* for us, the runner, the reference's runner, and all else */

static int
linux_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static struct runner_host
linux_runner(const struct runner_reply *reply)
{
    const struct runner_host *h = &reply->host;

    if (reply->op != RUNNER_DONE || reply->status != 0 || h->cpu < 0 ||
        h->cpu >= CPU_SETSIZE || h->launch_ns < 0 || h->preempted < 0)
        return (struct runner_host){.cpu = -1};
    return *h;
}

const struct host_ops host_linux = {
    .cpus = linux_cpus,
    .preemptions = awake_preemptions,
    .runner = linux_runner,
};

bool
host_can_stay_awake(const struct host_ops *host)
{
    return host->cpus() >= CPUS_MIN;
}
