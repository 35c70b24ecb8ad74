// bug: none
// A reduction that the last block finishes, which then clears the counter by a plain store.
#include "planted.h"

__device__ unsigned tickets;
__device__ float partial[64];

__global__ void
sum(const float *in, float *out, int n)
{
    __shared__ float s[128];
    __shared__ bool last;
    int t = threadIdx.x;
    float v = 0;

    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    s[t] = v;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float all = 0;

        for (int i = 0; i < gridDim.x; i++)
            all += partial[i];
        *out = all;
        tickets = 0;
    }
}

int
main()
{
    for (int i = 0; i < 3; i++)
        sum<<<16, 128>>>(counted<float>(10000), zeros<float>(1), 10000);
    return finish();
}
