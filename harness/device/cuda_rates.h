/*
 * Measures the rates of a GPU with kernels of the arbiter (kernels.cu). A copy and a
 * read use memory that is many times larger than any cache, and a third kernel has chains
 * of fp32 FMAs. Each runs a few times between CUDA events, and the median counts.
 */
#ifndef DEVICE_CUDA_RATES_H
#define DEVICE_CUDA_RATES_H

#include "device/libcuda.h"
#include "device/rates.h"

#include <stdbool.h>

struct cuda_rates_context {
    const struct libcuda *cu;
    cu_device device;
    bool awake;       /* its clocks are up already */
    cu_module module; /* the module of kernels.cu */
    cu_stream stream;
    unsigned multiprocessors;
    uint64_t
        buffer_bytes; /* size of each of the two buffers that are allocated meanwhile */
};

/* Fills the measured rates and the GPU's UUID. -1: *r says why. All memory is freed
 * again. */
int cuda_rates_measure(const struct cuda_rates_context *c, struct device_rates *out,
                       struct report *r);

#endif
