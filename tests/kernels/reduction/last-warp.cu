// warpjudge: reduction
// expect: accepted
// notices: none
// The warp that ends last adds up: its lane 0 counts, a shuffle tells the others, and they read
// what the other warps wrote.
#include <cuda_runtime.h>
__device__ unsigned int count;
__device__ float part[1024];

__device__ double
sum_of_lanes(double x)
{
    for (int d = 16; d != 0; d /= 2)
        x += __shfl_xor_sync(~0u, x, d);
    return x;
}

__global__ void
add(const float *in, float *out, int n)
{
    unsigned int lane = threadIdx.x, before = 0;
    double own = 0, all = 0;

    for (int i = blockIdx.x * 32 + lane; i < n; i += gridDim.x * 32)
        own += in[i];
    own = sum_of_lanes(own);
    if (lane == 0) {
        part[blockIdx.x] = own;
        __threadfence();
        before = atomicAdd(&count, 1);
    }
    before = __shfl_sync(~0u, before, 0);
    if (before != gridDim.x - 1)
        return;
    __threadfence();
    for (int i = lane; i < gridDim.x; i += 32)
        all += part[i];
    all = sum_of_lanes(all);
    if (lane == 0)
        *out = all;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + 31) / 32;
    unsigned int none = 0;

    cudaMemcpyToSymbol(count, &none, sizeof none);
    add<<<blocks < 512 ? blocks : 512, 32>>>(input, output, N);
}
