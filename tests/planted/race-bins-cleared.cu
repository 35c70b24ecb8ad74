// bug: race 12 11
// The barrier between clearing the bins and counting is missing.
#include "planted.h"

__global__ void
count(const int *in, int *out)
{
    __shared__ int bins[64];

    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    atomicAdd(&bins[in[threadIdx.x] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        out[threadIdx.x] = bins[threadIdx.x];
}

int
main()
{
    count<<<1, 128>>>(counted<int>(128), zeros<int>(64));
    return finish();
}
