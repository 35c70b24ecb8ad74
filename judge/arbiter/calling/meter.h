/*
 * Measures what a runner has used of its limits, on a host that others use as well. Used
 * time is the sum of three:
 *
 * - Work, on emu: what the emulated GPU executed for it, as a count (emulator/work.h).
 * - CPU time of its process.
 * - Sleep: the time in which neither its process nor the emulated GPU ran or wanted to
 *   run, while the arbiter waited for it (sandbox/usage.h).
 *
 * Waiting for a CPU is in none of them, so that a limit in used time does not depend on
 * how busy the machine is. Sleep counts only while meter_look
 * is called at intervals. Work and CPU time always count.
 */
#ifndef ARBITER_CALLING_METER_H
#define ARBITER_CALLING_METER_H

#include "device/device.h"
#include "problem/budget.h"
#include "sandbox/usage.h"

#include <stddef.h>
#include <stdint.h>

/* What was used since the process began, or between two moments (meter_since). */
struct meter_use {
    uint64_t work_ns, cpu_ns, slept_ns;
    uint64_t gpu_cpu_ns; /* the emulated GPU's CPU time, which is not in the sum; see
                            METER_GPU_CPU_FACTOR */
};

/* Used time is never less than the emulated GPU's CPU time divided by this. Work is a
 * count of instructions, and some take the emulator many times as long as others. Without
 * this bound a submission of the slowest ones would keep the device for long. The slowest
 * solution takes 6 times what it counts as, so that the bound would reach it only on a
 * far slower machine. */
#define METER_GPU_CPU_FACTOR 10

struct meter {
    struct usage usage; /* process 0: the runner's; 1: the emulated GPU's */
    struct work_count *work;
};

/* d says how the runner reaches its device. What runner and d point to must outlive the
 * meter. */
void meter_begin(struct meter *m, struct sandbox_process *runner,
                 const struct device_runner *d);
void meter_end(struct meter *m);

/* Counts sleep since the last look. After meter_pause, which says that nobody waits for
 * the runner any more, the next look only begins a new
 * interval. */
void meter_look(struct meter *m);
void meter_pause(struct meter *m);

struct meter_use meter_use(struct meter *m);

struct meter_use meter_since(const struct meter_use *now, const struct meter_use *before);
uint64_t meter_used_ns(const struct meter_use *use);

/* Writes "8.1 s of emulated work, 1.2 s of host CPU time, 0.7 s asleep" to out; without
 * the work if there is no emulated GPU. */
void meter_text(const struct meter_use *use, bool emulated, char *out, size_t size);

#endif
