// bug: race 17 10
// The last block reads the partial sums, but nobody has fenced them.
#include "planted.h"
__device__ unsigned tickets;

__global__ void
sum(const float *in, float *partial, float *out)
{
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];

        if (atomicAdd(&tickets, 1) == gridDim.x - 1) {
            float all = 0;

#pragma unroll 1
            for (int i = 0; i < gridDim.x; i++)
                all += partial[i];
            *out = all;
        }
    }
}

int
main()
{
    sum<<<8, 32>>>(counted<float>(8), zeros<float>(8), zeros<float>(1));
    return finish();
}
