// warpjudge: reduction
// expect: accepted
// idea: Each round goes through shared memory and ends at a barrier. Let the lanes of a warp hand
//   their values on by shuffles, so that one barrier is left for the sums of the warps.
// Against step 3: the threads of a warp hand their values to each other by shuffles, without shared
// memory and without barriers; one barrier is left, for the sums of the 32 warps.
// H200: 20.2 µs, 1.43 times as fast as step 3
#include <cuda_runtime.h>

#define THREADS 1024

__device__ static float
warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xFFFFFFFFu, v, offset);
    return v;
}

// The sum over the block, in thread 0.
__device__ static float
block_sum(float v)
{
    __shared__ float warps[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    v = warp_sum(v);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    v = threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0.0f;
    return warp == 0 ? warp_sum(v) : 0.0f;
}

__global__ void
reduce(const float *input, float *output, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = block_sum(i < N ? input[i] : 0.0f);

    if (threadIdx.x == 0)
        atomicAdd(output, sum);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    reduce<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
