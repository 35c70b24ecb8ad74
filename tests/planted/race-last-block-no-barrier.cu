// bug: race 20 11
// Thread 0 takes the ticket before the other warps of its block have written.
#include "planted.h"
__device__ unsigned tickets;

__global__ void
sum(const float *in, float *all, float *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;

    all[i] = in[i];
    __threadfence();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&tickets, 1) == gridDim.x - 1) {
            float v = 0;

#pragma unroll 1
            for (int k = 0; k < gridDim.x * 64; k++)
                v += all[k];
            *out = v;
        }
    }
}

int
main()
{
    sum<<<4, 64>>>(counted<float>(256), zeros<float>(256), zeros<float>(1));
    return finish();
}
