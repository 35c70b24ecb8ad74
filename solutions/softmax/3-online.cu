// warpjudge: softmax
// expect: accepted
// idea: The maximum and the sum cost a pass over the input each. Find both in one: keep the sum
//   relative to the largest element so far, and shrink it when a larger one comes.
// Maximum and sum in one pass: the sum is kept relative to the largest element so far and shrinks
// when a larger one comes. Two launches instead of three, and the input is read twice, not three
// times.
// H200: 14.5 µs, 1.36 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 256
#define BLOCKS 128

__device__ float2 partial[BLOCKS]; // x: maximum, y: sum of exp(input - maximum)

__device__ static float2
join(float2 a, float2 b)
{
    float top = fmaxf(a.x, b.x);

    // A pair without elements has the maximum -inf: its factor is exp(-inf) = 0, but where
    // both are without, top is -inf too and the difference would be NaN.
    if (top == -INFINITY)
        return make_float2(-INFINITY, 0.0f);
    return make_float2(top, a.y * __expf(a.x - top) + b.y * __expf(b.x - top));
}

// The join over the block, in every thread.
__device__ static float2
block_join(float2 v)
{
    __shared__ float2 tree[THREADS];
    int t = threadIdx.x;

    tree[t] = v;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = join(tree[t], tree[t + half]);
        __syncthreads();
    }
    return tree[0];
}

__global__ void
scan(const float *input, int N)
{
    float2 mine = make_float2(-INFINITY, 0.0f);

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        mine = join(mine, make_float2(input[i], 1.0f));
    mine = block_join(mine);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = mine;
}

__global__ void
write(const float *input, float *output, int N, int parts)
{
    float2 all = make_float2(-INFINITY, 0.0f);

    if (threadIdx.x < parts)
        all = partial[threadIdx.x];
    all = block_join(all);
    float scale = 1.0f / all.y;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        output[i] = __expf(input[i] - all.x) * scale;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + THREADS - 1) / THREADS;
    int parts = blocks < BLOCKS ? blocks : BLOCKS;

    scan<<<parts, THREADS>>>(input, N);
    write<<<blocks < 1024 ? blocks : 1024, THREADS>>>(input, output, N, parts);
}
