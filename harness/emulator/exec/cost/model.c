/*
 * The modelled time of a launch.
 *
 *     time = launch + sqrt(throughput^2 + latency^2)
 *     throughput = (sum of the bounds' 4th powers)^(1/4)
 *
 * A bound is the time that one part of the device would need if it had nothing else to
 * wait for: a roofline with many roofs. Real kernels at two roofs at once are slower than
 * at either, but by less than the sum: hence the powers. docs/model.md derives each term
 * and compares the whole with measured times.
 *
 * Blocks are handed to the SMs as a GPU does it (schedule.c). What an SM does is bounded
 * by the SM that has most of it, so that idle blocks and warps divide nobody else's work.
 *
 *   issue       issue slots / schedulers, of the SM that has most; at least the slots of
 *               the busiest warp of each block that followed each other at one place
 *   arithmetic  lanes of work of a kind / lanes of that unit, of the SM that has most
 *   L1          shared wavefronts + the larger of lines and sectors / 4, the same
 *   L2          sectors that miss the L1 filter * 32 bytes / L2's bandwidth, the
 *               device's or that of the SM that has most
 *   DRAM        the same bytes / DRAM's bandwidth; but if all that the launch touched
 *               fits in L2, no byte comes from DRAM twice
 *   host        bytes of pinned and managed memory / PCIe's bandwidth
 *   peer        bytes of the other device's memory / the bandwidth between devices
 *   atomics     sectors / L2's rate of them
 *   contention  atomics on the busiest line * what one takes
 *   latency     the blocks' critical paths (block_cost.h), those that followed each other
 *               at one place added up; of the place that is busy for longest. Loads that
 *               miss L1 take L2's or DRAM's latency in the proportion in which the
 *               launch's bytes came from there.
 */
#include "model.h"

#include <math.h>

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

static double
smaller(double a, double b)
{
    return a < b ? a : b;
}

/* a / b, 0 where there is nothing. */
static double
ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Bytes of sectors that go to L2, and those of them that come from DRAM. */
static double
l2_bytes_of(const struct counters *c)
{
    return (double)c->l1_missed_sectors * 32;
}

static double
dram_bytes_of(const struct device_model *d, const struct launch_shape *s,
              const struct counters *c)
{
    double bytes = l2_bytes_of(c);

    if ((double)s->touched_bytes <= d->l2_bytes)
        bytes = smaller(bytes, (double)s->touched_bytes);
    return bytes;
}

/* What may have come from or gone to another device's memory, at most. */
static double
peer_bytes_of(const struct launch_shape *s, const struct counters *c)
{
    return smaller(l2_bytes_of(c), (double)s->touched_peer_bytes);
}

static double
path_ns(const struct device_model *d, const struct path_sum *p, double miss_ns)
{
    return (double)p->cycles / d->clock_ghz +
           (double)(p->loads - p->missed) * d->l1_latency_ns +
           (double)p->missed * miss_ns;
}

/* What is spent at the place that is busy for longest with the paths of its blocks. Of
 * the loads that miss L1 as many wait for DRAM, and the others for L2, as of the launch's
 * bytes came from there. What a warp polls does not count among them. */
static double
latency_ns(const struct device_model *d, const struct launch_shape *s,
           const struct counters *c)
{
    double asked = l2_bytes_of(c) - (double)s->polled_sectors * 32, longest = 0;
    double far = ratio(smaller(dram_bytes_of(d, s, c), asked), asked);
    uint32_t count;
    const struct schedule_place *places = schedule_places(s->schedule, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct path_sum *path = places[i].clock.path;
        double near_ns = path_ns(d, &path[IF_L2], d->l2_latency_ns);
        double far_ns = path_ns(d, &path[IF_DRAM], d->memory_latency_ns);

        longest = larger(longest, near_ns + far * (far_ns - near_ns) +
                                      (double)places[i].blocks * d->block_start_ns);
    }
    return longest;
}

/* A warp has one scheduler: a block's instructions are no faster than its busiest warp's.
 */
static double
issue_cycles(const struct device_model *d, const struct schedule *schedule)
{
    double most = (double)schedule_most(schedule, SM_ISSUE) / d->schedulers_per_sm;
    uint32_t count;
    const struct schedule_place *places = schedule_places(schedule, &count);

    for (uint32_t i = 0; i < count; i++)
        most = larger(most, (double)places[i].clock.issue);
    return most;
}

/* The bounds of the multiprocessors: each of the one that has most of it. */
static void
sm_bounds(const struct device_model *d, const struct schedule *schedule, double *bound)
{
#define MOST(unit) ((double)schedule_most(schedule, unit))
    bound[COST_ISSUE] = issue_cycles(d, schedule) / d->clock_ghz;
    bound[COST_FP32] = MOST(SM_FP32) / 2 / d->fp32_lanes / d->clock_ghz;
    bound[COST_FP64] = MOST(SM_FP64) / 2 / d->fp64_lanes / d->clock_ghz;
    bound[COST_FP16] = MOST(SM_FP16) / 2 / d->fp16_lanes / d->clock_ghz;
    bound[COST_INT] = MOST(SM_INT) / d->int_lanes / d->clock_ghz;
    bound[COST_SFU] = MOST(SM_SFU) / d->sfu_lanes / d->clock_ghz;
    bound[COST_TENSOR] = MOST(SM_TENSOR) / d->tensor_flops / d->clock_ghz;
    bound[COST_L1] = MOST(SM_L1) / 4 / d->clock_ghz;
    bound[COST_L2] = MOST(SM_L2) * 32 / d->l2_bytes_per_sm_clock / d->clock_ghz;
#undef MOST
}

void
model_launch(const struct device_model *d, const struct launch_shape *s,
             const struct counters *c, struct model_time *out)
{
    double sum = 0, throughput, latency;
    double *bound = out->bound_ns;

    *out = (struct model_time){.ns = d->launch_ns, .launch_ns = d->launch_ns};
    out->blocks_per_sm = model_occupancy(d, s->threads_per_block, s->shared_per_block,
                                         s->registers_per_thread, out->limit_blocks);
    sm_bounds(d, s->schedule, bound);
    bound[COST_L2] = larger(bound[COST_L2], l2_bytes_of(c) / d->l2_bytes_per_ns);
    bound[COST_DRAM] = dram_bytes_of(d, s, c) / d->dram_bytes_per_ns;
    bound[COST_HOST] = (double)c->host_bytes / d->pcie_bytes_per_ns;
    bound[COST_PEER] = peer_bytes_of(s, c) / d->peer_bytes_per_ns;
    bound[COST_ATOMICS] = (double)c->atomic_sectors / d->atomic_sectors_per_ns;
    bound[COST_CONTENTION] = (double)c->atomic_hottest * d->atomic_line_ns;
    bound[COST_LATENCY] = latency_ns(d, s, c);
    for (int i = 0; i < COST_BOUND_COUNT; i++) {
        if (bound[i] > bound[out->bound])
            out->bound = (enum cost_bound)i;
        if (i != COST_LATENCY)
            sum += bound[i] * bound[i] * bound[i] * bound[i];
    }
    throughput = sqrt(sqrt(sum));
    latency = bound[COST_LATENCY];
    out->ns += sqrt(throughput * throughput + latency * latency);
}

/* --- lines --------------------------------------------------------------- */

/* What a line, or all, has of a bound; in any unit, for shares only. */
static double
amount(const struct device_model *d, enum cost_bound bound, const struct counters *c)
{
    switch (bound) {
    case COST_ISSUE:
        return (double)c->issue_slots;
    case COST_FP32:
        return (double)c->fp32_flops;
    case COST_FP64:
        return (double)c->fp64_flops;
    case COST_FP16:
        return (double)c->fp16_flops;
    case COST_INT:
        return (double)c->int_ops;
    case COST_SFU:
        return (double)c->sfu_ops;
    case COST_TENSOR:
        return (double)c->tensor_time;
    case COST_L1:
        return (double)c->shared_wavefronts + (double)c->local_wavefronts +
               larger((double)c->global_lines, (double)c->global_sectors / 4);
    case COST_L2:
    case COST_DRAM:
    case COST_PEER:
        return (double)c->l1_missed_sectors;
    case COST_HOST:
        return (double)c->host_bytes;
    case COST_ATOMICS:
    case COST_CONTENTION:
        return (double)c->atomic_sectors;
    case COST_LATENCY:
    case COST_BOUND_COUNT:
        break;
    }
    return (double)c->path_cycles / d->clock_ghz +
           (double)c->path_loads * d->l2_latency_ns;
}

double
model_part(const struct device_model *d, enum cost_bound bound,
           const struct counters *line, const struct counters *all)
{
    return ratio(amount(d, bound, line), amount(d, bound, all));
}

/* --- the host ------------------------------------------------------------ */

double
model_host_ns(const struct device_model *d, uint64_t bytes)
{
    return (double)bytes / d->host_bytes_per_ns;
}

double
model_copy_ns(const struct device_model *d, enum copy_kind kind, uint64_t bytes,
              uint64_t sector_bytes)
{
    switch (kind) {
    case COPY_H2D:
    case COPY_D2H:
        return d->copy_ns + (double)bytes / d->pcie_bytes_per_ns;
    case COPY_D2D:
        break;
    case COPY_PEER:
        return d->copy_ns + (double)bytes / d->peer_bytes_per_ns;
    case COPY_MEMSET:
        break;
    }
    return d->launch_ns + (double)sector_bytes / d->dram_bytes_per_ns;
}
