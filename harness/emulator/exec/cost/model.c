/*
 * The modelled time of a launch.
 *
 *     time = launch + sqrt(throughput^2 + latency^2)
 *     throughput = (sum of the bounds' 4th powers)^(1/4)
 *
 * A bound is the time that one part of the device would need if it never waited for the
 * others: a roofline with many roofs. A kernel at two roofs is slower than at either, but
 * faster than the sum of both; the powers say so. docs/model.md derives each term and
 * compares modelled with measured times.
 *
 * "SMs" is min(SMs of the device, blocks). Where the last round of blocks leaves SMs
 * idle, uneven() is the factor by which the bounds of the SMs grow.
 *
 *   issue       issue slots / (schedulers * SMs * clock)
 *   arithmetic  lanes of work of a kind / (lanes of that unit * SMs * clock)
 *   L1          (shared wavefronts + the larger of lines and sectors / 4) / (SMs * clock)
 *   L2          sectors that miss the L1 filter * 32 bytes / L2's bandwidth, the
 *               device's or that of the SMs in use
 *   DRAM        the same bytes / DRAM's bandwidth; but if all that the launch touched
 *               fits in L2, no byte comes from DRAM twice
 *   host        bytes of pinned and managed memory / PCIe's bandwidth
 *   atomics     sectors / L2's rate of them
 *   contention  atomics on the busiest line * what one takes
 *   latency     what the warps waited for on their critical paths (critical.c), divided
 *               among the warps that are resident at once. A load takes L1's, L2's or
 *               DRAM's latency in the proportion in which the launch's sectors came from
 *               there.
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

/* a / b, or 0 where b is 0. */
static double
ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

uint32_t
model_blocks_per_sm(const struct device_model *d, uint32_t threads, uint32_t shared_bytes,
                    uint32_t registers)
{
    uint32_t warps = (threads + 31) / 32;
    uint32_t by_warps, by_shared, by_registers, blocks = (uint32_t)d->blocks_per_sm;
    uint32_t block_registers;

    if (warps == 0)
        return 0;
    by_warps = (uint32_t)d->warps_per_sm / warps;
    /* The system has 1 KiB of each block's shared memory (CUDA programming guide). */
    by_shared = (uint32_t)d->shared_bytes_per_sm / (shared_bytes + 1024);
    /* A warp gets registers in units of 256 (CUDA programming guide, "Compute
     * Capabilities"). */
    block_registers = warps * ((registers * 32 + 255) / 256 * 256);
    by_registers =
        block_registers != 0 ? (uint32_t)d->registers_per_sm / block_registers : blocks;
    blocks = by_warps < blocks ? by_warps : blocks;
    blocks = by_shared < blocks ? by_shared : blocks;
    return by_registers < blocks ? by_registers : blocks;
}

/* How many times the average of several places the fullest of them has. */
static double
uneven(uint64_t blocks, uint64_t places)
{
    uint64_t rounds;

    if (places == 0 || blocks <= places)
        return 1;
    rounds = (blocks + places - 1) / places;
    return (double)(rounds * places) / (double)blocks;
}

/* The bytes of the sectors that go to L2. */
static double
l2_bytes_of(const struct counters *c)
{
    return (double)c->l1_missed_sectors * 32;
}

/* The part of those bytes that comes from DRAM. */
static double
dram_bytes_of(const struct device_model *d, const struct launch_shape *s,
              const struct counters *c)
{
    double bytes = l2_bytes_of(c);

    if ((double)s->touched_bytes <= d->l2_bytes)
        bytes = smaller(bytes, (double)s->touched_bytes);
    return bytes;
}

/* The most bytes that may have come from or gone to another device's memory. */
static double
peer_bytes_of(const struct launch_shape *s, const struct counters *c)
{
    return smaller(l2_bytes_of(c), (double)s->touched_peer_bytes);
}

/* The average latency of the launch's loads. */
static double
load_ns(const struct device_model *d, const struct launch_shape *s,
        const struct counters *c)
{
    double missed = ratio((double)c->l1_missed_sectors, (double)c->global_sectors);
    double far = ratio(dram_bytes_of(d, s, c), l2_bytes_of(c));

    return d->l1_latency_ns + missed * (d->l2_latency_ns - d->l1_latency_ns) +
           missed * far * (d->memory_latency_ns - d->l2_latency_ns);
}

static double
latency_ns(const struct device_model *d, const struct launch_shape *s,
           const struct counters *c, double sms, uint32_t per_sm)
{
    uint64_t places = (uint64_t)d->sms * per_sm;
    uint32_t warps_per_block = (s->threads_per_block + 31) / 32;
    double resident = smaller((double)s->blocks, sms * per_sm) * warps_per_block;
    double waited = (double)c->path_cycles / d->clock_ghz +
                    (double)c->path_loads * load_ns(d, s, c) +
                    (double)s->blocks * warps_per_block * d->block_start_ns;

    return waited / resident * uneven(s->blocks, places);
}

/* The bounds of the multiprocessors. */
static void
sm_bounds(const struct device_model *d, const struct counters *c, double sms,
          double unevenness, double *bound)
{
    double per_cycle = unevenness / (sms * d->clock_ghz);
    double lines = larger((double)c->global_lines, (double)c->global_sectors / 4);

    bound[COST_ISSUE] = (double)c->issue_slots / d->schedulers_per_sm * per_cycle;
    bound[COST_FP32] = (double)c->fp32_flops / 2 / d->fp32_lanes * per_cycle;
    bound[COST_FP64] = (double)c->fp64_flops / 2 / d->fp64_lanes * per_cycle;
    bound[COST_FP16] = (double)c->fp16_flops / 2 / d->fp16_lanes * per_cycle;
    bound[COST_INT] = (double)c->int_ops / d->int_lanes * per_cycle;
    bound[COST_SFU] = (double)c->sfu_ops / d->sfu_lanes * per_cycle;
    bound[COST_TENSOR] = (double)c->tensor_flops / d->tensor_flops * per_cycle;
    bound[COST_L1] = ((double)c->shared_wavefronts + lines) * per_cycle;
}

void
model_launch(const struct device_model *d, const struct launch_shape *s,
             const struct counters *c, struct model_time *out)
{
    double sms = smaller(d->sms, (double)s->blocks), sum = 0, throughput, latency;
    double *bound = out->bound_ns;

    *out = (struct model_time){.ns = d->launch_ns, .launch_ns = d->launch_ns};
    out->blocks_per_sm = model_blocks_per_sm(d, s->threads_per_block, s->shared_per_block,
                                             s->registers_per_thread);
    if (s->blocks == 0)
        return;
    sm_bounds(d, c, sms, uneven(s->blocks, (uint64_t)d->sms), bound);
    bound[COST_L2] =
        larger(l2_bytes_of(c) / d->l2_bytes_per_ns,
               l2_bytes_of(c) / (d->l2_bytes_per_sm_clock * sms * d->clock_ghz));
    bound[COST_DRAM] = dram_bytes_of(d, s, c) / d->dram_bytes_per_ns;
    bound[COST_HOST] = (double)model_host_bytes(s, c) / d->pcie_bytes_per_ns;
    bound[COST_PEER] = peer_bytes_of(s, c) / d->peer_bytes_per_ns;
    bound[COST_ATOMICS] = (double)c->atomic_sectors / d->atomic_sectors_per_ns;
    bound[COST_CONTENTION] = (double)c->atomic_hottest * d->atomic_line_ns;
    bound[COST_LATENCY] =
        latency_ns(d, s, c, sms, out->blocks_per_sm != 0 ? out->blocks_per_sm : 1);
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

/* How much of a bound a line has, or all lines have. The unit is any, as only shares are
 * computed of it. */
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
        return (double)c->tensor_flops;
    case COST_L1:
        return (double)c->shared_wavefronts +
               larger((double)c->global_lines, (double)c->global_sectors / 4);
    case COST_L2:
    case COST_DRAM:
    case COST_HOST:
    case COST_PEER:
        return (double)c->l1_missed_sectors;
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

uint64_t
model_host_bytes(const struct launch_shape *s, const struct counters *c)
{
    uint64_t moved = c->l1_missed_sectors * 32;

    return moved < s->touched_host_bytes ? moved : s->touched_host_bytes;
}

double
model_host_ns(const struct device_model *d, uint64_t bytes)
{
    return (double)bytes / d->host_bytes_per_ns;
}

double
model_copy_ns(const struct device_model *d, enum copy_kind kind, uint64_t bytes)
{
    switch (kind) {
    case COPY_H2D:
    case COPY_D2H:
        return d->copy_ns + (double)bytes / d->pcie_bytes_per_ns;
    case COPY_D2D:
        return d->launch_ns + (double)bytes * 2 / d->dram_bytes_per_ns;
    case COPY_PEER:
        return d->copy_ns + (double)bytes / d->peer_bytes_per_ns;
    case COPY_MEMSET:
        break;
    }
    return d->launch_ns + (double)bytes / d->dram_bytes_per_ns;
}
