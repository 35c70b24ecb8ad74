// warpjudge: reduction
// expect: accepted
// Beside the ladder. Against its step 5: no cudaMemset before the kernel. Each block leaves its sum in memory, and the last
// one to finish adds them up, so that one launch does it all. Without atomic additions of floats the
// answer is the same to the bit every time.
// H200: 11.9 us by events, step 5 takes 11.0: no gain, but an answer that is always the same.
#include <cuda_runtime.h>

#define THREADS 1024
#define BLOCKS 264 // two for each of 132 multiprocessors

__device__ float partial[BLOCKS];
__device__ unsigned finished; // blocks; back to 0 at the end of every launch

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
    __shared__ bool last;
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
    if (threadIdx.x == 0) {
        __stcg(&partial[blockIdx.x], sum);
        __threadfence();
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    sum = 0.0f;
    for (int b = threadIdx.x; b < gridDim.x; b += THREADS)
        sum += __ldcg(&partial[b]);
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        output[0] = sum;
        finished = 0;
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N / 4 + THREADS - 1) / THREADS;

    reduce<<<blocks < 1 ? 1 : blocks < BLOCKS ? blocks : BLOCKS, THREADS>>>(input, output, N);
}
