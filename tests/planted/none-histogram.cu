// bug: none
// Shared bins, cleared, counted and added with a barrier between.
#include "planted.h"

__global__ void
count(const unsigned char *in, int *out, int n)
{
    __shared__ int bins[256];

    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&out[i], bins[i]);
}

int
main()
{
    count<<<4, 96>>>(counted<unsigned char>(5000), zeros<int>(256), 5000);
    return finish();
}
