// warpjudge: segmented-reduction
// expect: wrong_answer
// A block for each segment, and every thread adds one value: what comes after the first 256 of a
// segment is left out.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
add_segments(const float *values, const int *offsets, float *output)
{
    __shared__ float tree[THREADS];
    int s = blockIdx.x, t = threadIdx.x, i = offsets[s] + t;

    tree[t] = i < offsets[s + 1] ? values[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        output[s] = tree[0];
}

extern "C" void
solve(const float *values, const int *offsets, float *output, int N, int S)
{
    add_segments<<<S, THREADS>>>(values, offsets, output);
}
