// warpjudge: softmax
// expect: accepted
// idea: One block keeps one multiprocessor busy, and leaves all others idle. Use blocks on all of
//   them, and make each pass a launch because blocks cannot wait for each other.
// Blocks on all multiprocessors instead of one. They can't wait for each other, so a pass becomes
// a launch: maxima of blocks, sums of blocks, quotients. Every block joins the few numbers of the
// launches before by itself.
// H200: 19.8 µs, 7.8 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 256
#define BLOCKS 128

__device__ float maxima[BLOCKS], sums[BLOCKS];

// The maximum over the block, in every thread.
__device__ static float
block_max(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = fmaxf(tree[t], tree[t + half]);
        __syncthreads();
    }
    return tree[0];
}

// The sum over the block, in every thread.
__device__ static float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ void
find_maxima(const float *input, int N)
{
    float top = -INFINITY;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        top = fmaxf(top, input[i]);
    top = block_max(top);
    if (threadIdx.x == 0)
        maxima[blockIdx.x] = top;
}

__global__ void
add(const float *input, int N)
{
    float top = block_max(threadIdx.x < gridDim.x ? maxima[threadIdx.x] : -INFINITY);
    float sum = 0.0f;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        sum += expf(input[i] - top);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void
divide(const float *input, float *output, int N, int parts)
{
    float top = block_max(threadIdx.x < parts ? maxima[threadIdx.x] : -INFINITY);
    float sum = block_sum(threadIdx.x < parts ? sums[threadIdx.x] : 0.0f);

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        output[i] = expf(input[i] - top) / sum;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + THREADS - 1) / THREADS;
    int parts = blocks < BLOCKS ? blocks : BLOCKS;

    find_maxima<<<parts, THREADS>>>(input, N);
    add<<<parts, THREADS>>>(input, N);
    divide<<<blocks < 1024 ? blocks : 1024, THREADS>>>(input, output, N, parts);
}
