/*
 * Figures of the devices that can be modelled. To add one: a row here, with where each
 * figure comes from. Data sheets and whitepapers unless said otherwise.
 */
#include "model.h"

const struct device_model device_h200 = {
    .name = "H200",
    .clock_ghz = 1.755,       /* boost under load; the maximum is 1.98 */
    .launch_ns = 2500,        /* measured: launch to launch of an empty kernel */
    .memory_latency_ns = 480, /* pointer chase, published microbenchmarks of H100 */
    .l2_latency_ns = 150,
    .dram_bytes_per_ns = 4300, /* measured; 4800 on the data sheet */
    .l2_bytes_per_ns = 7500,
    .l2_bytes = 50.0 * 1024 * 1024,
    .pcie_bytes_per_ns = 50, /* PCIe 5 x16, pinned memory */
    .copy_ns = 4000,
    .sms = 132,
    .schedulers_per_sm = 4,
    .warps_per_sm = 64,
    .blocks_per_sm = 32,
    .fp32_lanes = 128,
    .fp64_lanes = 64,
    .fp16_lanes = 256,
    .int_lanes = 64,
    .sfu_lanes = 16,
    .tensor_flops = 4096,
    .shared_bytes_per_sm = 228 * 1024,
    .registers_per_sm = 65536,
    .atomic_sectors_per_ns = 20, /* published histogram measurements of V100 to H100 */
    .atomic_same_ns = 0.6,       /* one address, coalesced by the L2 slice */
    .barrier_cycles = 20,
};
