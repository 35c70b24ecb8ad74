// warpjudge: reduction
// expect: accepted
// idea: A block goes through a whole tree and an atomic addition for only one element of each
//   thread. Start no more blocks than the GPU holds, and let each thread first add many elements in
//   a register.
// Against step 4: more work for a thread. There are no more blocks than the GPU holds at once, and each
// thread adds many elements in a register, four of them a load, before the block adds up: that happens
// 264 times instead of N / 1024 times, and as many atomic additions are left. The last N % 4 elements go
// one by one.
// H200: 11.3 µs, 1.78 times as fast as step 4
#include <cuda_runtime.h>

#define THREADS 1024
#define BLOCKS 264 // two for each of 132 multiprocessors

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
reduce(const float *__restrict__ input, float *output, int N)
{
    const float4 *quads = (const float4 *)input;
    int first = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;
    float sum = 0.0f;

    for (int i = first; i < N / 4; i += step) {
        float4 v = quads[i];

        sum += (v.x + v.y) + (v.z + v.w);
    }
    if (first < N % 4)
        sum += input[N / 4 * 4 + first];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(output, sum);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = max(1, min((N / 4 + THREADS - 1) / THREADS, BLOCKS));

    cudaMemset(output, 0, sizeof(float));
    reduce<<<blocks, THREADS>>>(input, output, N);
}
