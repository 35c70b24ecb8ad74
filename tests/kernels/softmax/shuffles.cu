// warpjudge: softmax
// expect: accepted
// Online softmax in two launches. Pairs of maximum and sum are joined by shuffles. Every block of the
// second launch joins the pairs of the first by itself.
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

__device__ static float2
warp_join(float2 v)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        float2 other;

        other.x = __shfl_xor_sync(0xFFFFFFFFu, v.x, offset);
        other.y = __shfl_xor_sync(0xFFFFFFFFu, v.y, offset);
        v = join(v, other);
    }
    return v;
}

// The join over the block, in every thread.
__device__ static float2
block_join(float2 v)
{
    __shared__ float2 warps[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    v = warp_join(v);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    v = lane < THREADS / 32 ? warps[lane] : make_float2(-INFINITY, 0.0f);
    return warp_join(v);
}

__global__ void
scan(const float *__restrict__ input, int N)
{
    float2 mine = make_float2(-INFINITY, 0.0f);

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        mine = join(mine, make_float2(input[i], 1.0f));
    mine = block_join(mine);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = mine;
}

__global__ void
write(const float *__restrict__ input, float *__restrict__ output, int N, int parts)
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
