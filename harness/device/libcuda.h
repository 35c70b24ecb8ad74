/*
 * The functions of NVIDIA's driver that the arbiter needs. They are found with dlopen, so
 * that one build serves machines with and without a GPU.
 */
#ifndef DEVICE_LIBCUDA_H
#define DEVICE_LIBCUDA_H

#include "core/report.h"
#include "runner/cuda_driver.h"

#define CU_FUNCTIONS(X) CU_COMMON_FUNCTIONS(X) CU_ARBITER_FUNCTIONS(X)

struct libcuda {
#define X(name, symbol, args) cu_result(*name) args;
    CU_FUNCTIONS(X)
#undef X
};

/* The driver, loaded and initialised once a process; NULL and a sentence where there is
 * none. Never unloaded. */
const struct libcuda *libcuda_get(struct report *r);

/* 0 where rc says so; otherwise fills r with "WHAT: CUDA_ERROR_...: text". */
int libcuda_check(const struct libcuda *cu, cu_result rc, const char *what,
                  struct report *r);

/* "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as NVML and nvidia-smi write it. */
int libcuda_card_id(const struct libcuda *cu, cu_device device, char out[64],
                    struct report *r);

#endif
