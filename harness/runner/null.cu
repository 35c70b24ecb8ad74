/*
 * The solve() that does nothing: what the timed interval costs without any work, measured
 * by the same protocol in the same judgement (design: null interval).
 *
 * It launches an empty kernel, because the largest part of that cost is the GPU's switch from
 * the arbiter's context to the runner's and back, and a context with nothing to execute is
 * never switched to: without the launch an H200's null interval came out at 80 µs where a
 * kernel's interval holds about 350 µs that are not the kernel's (docs/measurements). Where
 * a problem has two GPUs both have such a switch, so both get a kernel.
 */
#include "runner/guest.h"

__global__ void
nothing(void)
{
}

static int
count_gpus(void)
{
    int count = 1;

    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 1;
}

extern "C" void
warpjudge_entry(void *const *args)
{
    static const int gpus = count_gpus();

    (void)args;
    for (int i = 1; i < gpus; i++) {
        cudaSetDevice(i);
        nothing<<<1, 1>>>();
        cudaSetDevice(0);
    }
    nothing<<<1, 1>>>();
}
