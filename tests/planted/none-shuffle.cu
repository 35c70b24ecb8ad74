// bug: none
// Block sums by shuffles, one atomic a block.
#include "planted.h"

__global__ void
sum(const float *in, float *out, int n)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    float v = 0;

    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < blockDim.x / 32 ? s[t] : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (t == 0)
            atomicAdd(out, v);
    }
}

int
main()
{
    sum<<<8, 128>>>(counted<float>(5000), zeros<float>(1), 5000);
    return finish();
}
