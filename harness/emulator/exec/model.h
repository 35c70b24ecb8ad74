/*
 * The modelled time: what the launch would take on the modelled device, from its
 * counters. Only integer and double arithmetic (+ - * / and comparisons, no library
 * functions), so the result is the same to the bit on every machine. See model.c for the
 * formula.
 */
#ifndef EMULATOR_MODEL_H
#define EMULATOR_MODEL_H

#include "exec.h"

/* The figures of one device; devices.c has the table. */
struct device_model {
    const char *name;
    double clock_ghz;         /* sustained under load */
    double launch_ns;         /* an empty kernel, back to back */
    double memory_latency_ns; /* DRAM, unloaded */
    double l2_latency_ns;
    double dram_bytes_per_ns; /* measured, not the data sheet's */
    double l2_bytes_per_ns;
    double l2_bytes;
    double pcie_bytes_per_ns;
    double copy_ns; /* fixed cost of a copy */
    int sms, schedulers_per_sm, warps_per_sm, blocks_per_sm;
    int fp32_lanes, fp64_lanes, fp16_lanes, int_lanes, sfu_lanes; /* a clock and SM */
    double tensor_flops; /* a clock and SM, f16 */
    int shared_bytes_per_sm, registers_per_sm;
    double atomic_sectors_per_ns; /* sectors that L2 updates, all slices */
    double atomic_same_ns;        /* between two atomics on one address */
    double barrier_cycles;
};

extern const struct device_model device_h200;

/* What the formula needs to know of a launch beside its counters. */
struct launch_shape {
    uint64_t blocks;
    uint32_t threads_per_block, shared_per_block, registers_per_thread;
    uint64_t touched_bytes; /* sizes of the allocations that were accessed, summed */
};

double model_launch_ns(const struct device_model *d, const struct launch_shape *s,
                       const struct counters *c);
double model_copy_ns(const struct device_model *d, enum copy_kind kind, uint64_t bytes);
/* Blocks of this shape that one SM holds at once; 0: it does not fit. */
uint32_t model_blocks_per_sm(const struct device_model *d, uint32_t threads,
                             uint32_t shared_bytes, uint32_t registers);

#endif
