#include "base/cpus.h"

#include <sched.h>
#include <stddef.h>

#define CPUS_PER_GPU 4

int
cpus_allowed(void)
{
    cpu_set_t all;

    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return 1;
    return CPU_COUNT(&all) > 1 ? CPU_COUNT(&all) : 1;
}

int
cpus_beside_gpus(int cpus, int gpus)
{
    const int half = cpus / 2;
    const int spare = cpus - gpus * CPUS_PER_GPU;
    const int most = spare > half ? spare : half;

    return most > 1 ? most : 1;
}

/* A new process calls this on a stack that it borrows (judge/daemon/spawn.c).
 * AddressSanitizer would mark that stack. */
__attribute__((no_sanitize_address)) void
cpus_keep_to_last(int count)
{
    cpu_set_t all, few;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    CPU_ZERO(&few);
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0 && CPU_COUNT(&few) < count;)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &few);
    (void)sched_setaffinity(0, sizeof few, &few);
}
