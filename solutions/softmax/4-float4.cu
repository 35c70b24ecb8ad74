// warpjudge: softmax
// expect: accepted
// idea: A thread waits for each single element, and rescales its sum for each of them. Load four
//   elements at a time, and rescale once for the four.
// Four elements at a time: one load of 16 bytes, and the sum shrinks once for four elements, not
// once for each.
// H200: 8.73 µs, 1.66 times as fast as step 3
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

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N / 4; i += gridDim.x * THREADS) {
        float4 v = ((const float4 *)input)[i];
        float top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        float sum = __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top);

        mine = join(mine, make_float2(top, sum));
    }
    if (blockIdx.x == 0 && threadIdx.x < N % 4) // the last three at most
        mine = join(mine, make_float2(input[N / 4 * 4 + threadIdx.x], 1.0f));
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

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N / 4; i += gridDim.x * THREADS) {
        float4 v = ((const float4 *)input)[i];

        v.x = __expf(v.x - all.x) * scale;
        v.y = __expf(v.y - all.x) * scale;
        v.z = __expf(v.z - all.x) * scale;
        v.w = __expf(v.w - all.x) * scale;
        ((float4 *)output)[i] = v;
    }
    if (blockIdx.x == 0 && threadIdx.x < N % 4) {
        int i = N / 4 * 4 + threadIdx.x;

        output[i] = __expf(input[i] - all.x) * scale;
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + 4 * THREADS - 1) / (4 * THREADS);
    int parts = blocks < BLOCKS ? blocks : BLOCKS;

    scan<<<parts, THREADS>>>(input, N);
    write<<<blocks, THREADS>>>(input, output, N, parts);
}
