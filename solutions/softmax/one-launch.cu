// warpjudge: softmax
// expect: accepted
// Beside the ladder, after its step 4. One launch: every thread keeps four elements in registers while the whole grid waits for the
// maximum and the sum. The input is read once, and nothing waits for a second kernel to start.
// H200: 13.4 us, step 4 takes 9.5: a loss.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#define THREADS 1024
#define OWN 4 // elements of a thread
#define BLOCKS ((500000 + THREADS * OWN - 1) / (THREADS * OWN)) // for the largest N: all at once

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

    __syncthreads(); // the call before may still be reading
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
softmax(const float *input, float *output, int N)
{
    int t = threadIdx.x, first = (blockIdx.x * THREADS + t) * OWN;
    float x[OWN] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    float2 all;

    if (first + OWN <= N) {
        float4 four = *(const float4 *)(input + first);

        x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
    } else {
        for (int j = 0; first + j < N; j++)
            x[j] = input[first + j];
    }
    all.x = fmaxf(fmaxf(x[0], x[1]), fmaxf(x[2], x[3]));
    all.y = 0.0f;
    for (int j = 0; j < OWN && all.x > -INFINITY; j++)
        all.y += __expf(x[j] - all.x);
    all = block_join(all);
    if (t == 0)
        partial[blockIdx.x] = all;
    cooperative_groups::this_grid().sync();
    all = t < gridDim.x ? partial[t] : make_float2(-INFINITY, 0.0f);
    all = block_join(all);
    float scale = 1.0f / all.y;

    for (int j = 0; j < OWN; j++)
        x[j] = __expf(x[j] - all.x) * scale;
    if (first + OWN <= N)
        *(float4 *)(output + first) = make_float4(x[0], x[1], x[2], x[3]);
    else
        for (int j = 0; first + j < N; j++)
            output[first + j] = x[j];
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + THREADS * OWN - 1) / (THREADS * OWN);
    void *args[] = {&input, &output, &N};

    cudaLaunchCooperativeKernel((const void *)softmax, blocks, THREADS, args);
}
