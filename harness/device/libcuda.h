/*
 * The functions of NVIDIA's driver that the arbiter needs. They are found with dlopen, so
 * that one build serves machines with and without a GPU.
 */
#ifndef DEVICE_LIBCUDA_H
#define DEVICE_LIBCUDA_H

#include "base/report.h"
#include "runner/cuda_driver.h"

#define CU_FUNCTIONS(X) CU_COMMON_FUNCTIONS(X) CU_ARBITER_FUNCTIONS(X)

struct libcuda {
#define X(name, symbol, args) cu_result(*name) args;
    CU_FUNCTIONS(X)
#undef X
};

/* The driver's functions, loaded and initialised once in a process and never unloaded.
 * NULL with a sentence if there is no driver. */
const struct libcuda *libcuda_get(struct report *r);

/* Returns 0 if rc is a success; otherwise fills r with "WHAT: CUDA error N (NAME:
 * text)". */
int libcuda_check(const struct libcuda *cu, cu_result rc, const char *what,
                  struct report *r);

/* Writes the GPU's UUID as NVML and nvidia-smi do:
 * "GPU-xxxxxxxx-xxxx-...-xxxxxxxxxxxx". */
int libcuda_gpu_id(const struct libcuda *cu, cu_device device, char out[64],
                   struct report *r);

#endif
