// bug: race 13 13
// A histogram in shared memory without atomics.
#include "planted.h"

__global__ void
count(const int *in, int *out)
{
    __shared__ int bins[16];

    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] % 16]++;
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bins[threadIdx.x];
}

int
main()
{
    count<<<1, 256>>>(counted<int>(256), zeros<int>(16));
    return finish();
}
