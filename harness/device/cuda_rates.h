/*
 * The rates of a GPU, measured by kernels of the arbiter's own (kernels.cu): a copy and a
 * read of memory many times larger than any cache, and chains of fp32 FMAs. Each is run a
 * few times between CUDA events; the median counts.
 */
#ifndef DEVICE_CUDA_RATES_H
#define DEVICE_CUDA_RATES_H

#include "device/libcuda.h"
#include "device/rates.h"

struct cuda_rates_context {
    const struct libcuda *cu;
    cu_device device;
    cu_module module; /* of kernels.cu */
    cu_stream stream;
    unsigned multiprocessors;
    uint64_t buffer_bytes; /* two of these are allocated for the while */
};

/* Fills the measured rates and the card's UUID. -1: *r says why; nothing is left behind
 * either way. */
int cuda_rates_measure(const struct cuda_rates_context *c, struct device_rates *out,
                       struct report *r);

#endif
