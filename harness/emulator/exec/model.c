/*
 * The modelled time of a launch: launch cost plus the longest of its bounds, each the
 * time that one part of the device would need if it were the only one (a roofline with
 * more than two roofs), plus the latency that too little parallelism leaves uncovered.
 *
 *   issue    warp instructions / (schedulers * SMs in use * clock)
 *   units    lanes of work of a kind / (lanes of that unit * SMs in use * clock)
 *   shared   wavefronts / (1 per clock * SMs in use)
 *   L2       sectors that miss the L1 filter * 32 bytes / L2 bandwidth
 *   DRAM     the same, but if everything that the launch touched fits in L2, no byte
 * comes from DRAM twice: min(missed bytes, bytes touched) / DRAM bandwidth L1 sectors /
 * (4 per clock * SMs in use): what makes uncoalesced loads slow even if they hit atomics
 * requests' longest chains on one address, and the number of atomics latency  the
 * dependent memory accesses of one warp times its waves, divided among the resident
 * warps: small grids are slow
 *
 * The L1 filter (access.inc) is per block and reset when a block begins, so the counts
 * don't depend on how blocks are spread over the host's threads. "SMs in use" is min(SMs,
 * blocks), and the last wave's idle SMs are counted by rounding the waves up.
 */
#include "model.h"

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
    /* 1 KiB of every block's shared memory is the system's (CUDA programming guide). */
    by_shared = (uint32_t)d->shared_bytes_per_sm / (shared_bytes + 1024);
    block_registers = warps * ((registers * 32 + 255) / 256 * 256);
    by_registers =
        block_registers != 0 ? (uint32_t)d->registers_per_sm / block_registers : blocks;
    blocks = by_warps < blocks ? by_warps : blocks;
    blocks = by_shared < blocks ? by_shared : blocks;
    return by_registers < blocks ? by_registers : blocks;
}

/* The units' bounds, in clocks of all SMs in use. */
static double
unit_cycles(const struct device_model *d, const struct counters *c, double sms)
{
    double cycles = (double)c->warp_instructions / (d->schedulers_per_sm * sms);

    cycles = larger(cycles, (double)c->fp32_flops / 2 / (d->fp32_lanes * sms));
    cycles = larger(cycles, (double)c->fp64_flops / 2 / (d->fp64_lanes * sms));
    cycles = larger(cycles, (double)c->fp16_flops / 2 / (d->fp16_lanes * sms));
    cycles = larger(cycles, (double)c->int_ops / (d->int_lanes * sms));
    cycles = larger(cycles, (double)c->sfu_ops / (d->sfu_lanes * sms));
    cycles = larger(cycles, (double)c->tensor_flops / (d->tensor_flops * sms));
    cycles = larger(cycles, (double)c->shared_wavefronts / sms);
    cycles = larger(cycles, (double)c->global_lines / sms);
    return larger(cycles, (double)c->global_sectors / (4 * sms));
}

/* What too few warps leave uncovered: every warp's memory requests and barriers one after
 * the other, overlapped with those of the other resident warps (at most 16 usefully). */
static double
latency_ns(const struct device_model *d, const struct launch_shape *s,
           const struct counters *c, double resident_warps, double warps)
{
    double per_warp, waves, ns;

    if (warps < 1)
        return 0;
    per_warp = (double)c->global_requests / warps;
    waves = larger(1, warps / resident_warps);
    ns = per_warp * d->l2_latency_ns / smaller(4, larger(1, per_warp));
    ns += smaller(per_warp, 2) * (d->memory_latency_ns - d->l2_latency_ns);
    ns += (double)c->shared_requests / warps * 8 / d->clock_ghz;
    ns += (double)c->barriers / (double)s->blocks * d->barrier_cycles / d->clock_ghz;
    ns += (double)c->warp_instructions / warps * 2 / d->clock_ghz;
    return ns * waves;
}

double
model_launch_ns(const struct device_model *d, const struct launch_shape *s,
                const struct counters *c)
{
    uint32_t per_sm = model_blocks_per_sm(d, s->threads_per_block, s->shared_per_block,
                                          s->registers_per_thread);
    uint32_t warps_per_block = (s->threads_per_block + 31) / 32;
    double warps = (double)s->blocks * (double)warps_per_block;
    double blocks = (double)s->blocks;
    double sms = smaller(d->sms, blocks);
    double missed = (double)c->l1_missed_sectors * 32;
    double dram = missed, ns;

    if (s->blocks == 0)
        return d->launch_ns;
    if (per_sm == 0)
        per_sm = 1;
    if ((double)s->touched_bytes <= d->l2_bytes)
        dram = smaller(missed, (double)s->touched_bytes);
    ns = unit_cycles(d, c, sms) / d->clock_ghz;
    ns = larger(ns, missed / d->l2_bytes_per_ns);
    ns = larger(ns, dram / d->dram_bytes_per_ns);
    ns = larger(ns, (double)c->atomic_sectors / d->atomic_sectors_per_ns);
    ns = larger(ns, (double)(c->atomic_serial - c->atomic_requests) * d->atomic_same_ns);
    ns = larger(ns, latency_ns(d, s, c,
                               sms * smaller(per_sm, (blocks + sms - 1) / sms) *
                                   (double)warps_per_block,
                               warps));
    /* The bounds overlap in part only: a kernel at one roof still pays a little of the
     * others. An eighth of the instruction time is what tuned kernels show. */
    ns += (double)c->warp_instructions / (d->schedulers_per_sm * sms) / d->clock_ghz / 8;
    return d->launch_ns + ns;
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
    case COPY_MEMSET:
        break;
    }
    return d->launch_ns + (double)bytes / d->dram_bytes_per_ns;
}
