/*
 * NVIDIA's driver, as far as a runner needs it, and the primary contexts of its GPUs.
 * The CUDA runtime of a program that is loaded later uses the same contexts.
 *
 * libcuda is opened with dlopen, because the driver belongs to the machine and may be
 * absent.
 */
#ifndef RUNNER_DRIVER_H
#define RUNNER_DRIVER_H

#include "runner/cuda_driver.h"

/* Valid after a successful driver_use. */
struct driver {
#define X(name, symbol, args) cu_result(*name) args;
    CU_COMMON_FUNCTIONS(X) CU_RUNNER_FUNCTIONS(X)
#undef X
};

extern struct driver cu;

/* Makes a context on each GPU that this process sees, and makes the first one current.
 * Returns what driver_use returns. */
int driver_wake(char *text, size_t text_size);

/* How many GPUs driver_wake has found; 1 if it was not called. */
int driver_gpus(void);

/* Makes this GPU's context current. If a submission has reset the device, it makes a new
 * one. Returns 0, -errno, or the driver's error with words in text. */
int driver_use(int gpu, char *text, size_t text_size);

/* Writes words for an error of the function `what` into text. Returns the error. */
int driver_failed(const char *what, int error, char *text, size_t text_size);

#endif
