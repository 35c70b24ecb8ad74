// bug: none
// The last block is found by thread 0; then all its threads read what all others wrote.
#include "planted.h"

__device__ unsigned tickets;

__global__ void
sum(const float *in, float *all, float *out)
{
    __shared__ bool last;
    int i = blockIdx.x * 64 + threadIdx.x;

    all[i] = in[i] * 2;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        float v = 0;

        for (int k = 0; k < gridDim.x; k++)
            v += all[k * 64 + threadIdx.x];
        out[threadIdx.x] = v;
    }
}

int
main()
{
    sum<<<8, 64>>>(counted<float>(512), fresh<float>(512), fresh<float>(64));
    return finish();
}
