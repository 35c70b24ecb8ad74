#include "arbiter/calling/meter.h"

#include "emulator/work.h"

#include <stdio.h>

#define NS_PER_MS UINT64_C(1000000)

enum { RUNNER, GPU }; /* usage.process */

void
meter_begin(struct meter *m, struct sandbox_process *runner,
            const struct device_runner *d)
{
    *m = (struct meter){.usage = {.process = {runner, d->gpu_process}}, .work = d->work};
}

void
meter_end(struct meter *m)
{
    usage_account_pause(&m->usage.account);
}

void
meter_look(struct meter *m)
{
    usage_look(&m->usage);
}

void
meter_pause(struct meter *m)
{
    usage_account_pause(&m->usage.account);
}

static uint64_t
work_ns(const struct meter *m)
{
    const uint64_t used = m->work != NULL ? atomic_load(&m->work->used) : 0;

    return used / WORK_PER_MS * NS_PER_MS + used % WORK_PER_MS * NS_PER_MS / WORK_PER_MS;
}

struct meter_use
meter_use(struct meter *m)
{
    return (struct meter_use){.work_ns = work_ns(m),
                              .cpu_ns = usage_cpu_ns(&m->usage, RUNNER),
                              .slept_ns = m->usage.account.slept_ns,
                              .gpu_cpu_ns = usage_cpu_ns(&m->usage, GPU)};
}

/* Returns 0 instead of a negative difference: a hostile client that took over the
 * emulated GPU could count backwards. */
static uint64_t
time_above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

struct meter_use
meter_since(const struct meter_use *now, const struct meter_use *before)
{
    return (struct meter_use){.work_ns = time_above(now->work_ns, before->work_ns),
                              .cpu_ns = time_above(now->cpu_ns, before->cpu_ns),
                              .slept_ns = time_above(now->slept_ns, before->slept_ns),
                              .gpu_cpu_ns =
                                  time_above(now->gpu_cpu_ns, before->gpu_cpu_ns)};
}

uint64_t
meter_used_ns(const struct meter_use *use)
{
    const uint64_t least = use->gpu_cpu_ns / METER_GPU_CPU_FACTOR;
    const uint64_t sum = use->work_ns + use->cpu_ns + use->slept_ns;

    return sum > least ? sum : least;
}

void
meter_text(const struct meter_use *use, bool emulated, char *out, size_t size)
{
    const uint64_t sum = use->work_ns + use->cpu_ns + use->slept_ns;
    int len = 0;

    if (emulated)
        len =
            snprintf(out, size, "%.1f s of emulated work, ", (double)use->work_ns / 1e9);
    len +=
        snprintf(out + len, size - (size_t)len, "%.1f s of host CPU time, %.1f s asleep",
                 (double)use->cpu_ns / 1e9, (double)use->slept_ns / 1e9);
    if (sum < meter_used_ns(use))
        snprintf(out + len, size - (size_t)len,
                 ", and %.0f s of the emulated GPU's CPU time",
                 (double)use->gpu_cpu_ns / 1e9);
}
