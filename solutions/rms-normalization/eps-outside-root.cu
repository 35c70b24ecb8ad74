// warpjudge: rms-normalization
// expect: wrong_answer
// Adds eps to the root instead of under it.
#include <cuda_runtime.h>

#define THREADS 1024

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
    value = tree[0];
    __syncthreads();
    return value;
}

__global__ void
normalize(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    float squares = 0.0f;

    for (int i = threadIdx.x; i < N; i += THREADS)
        squares += input[i] * input[i];
    float rms = sqrtf(block_sum(squares) / N) + eps;

    for (int i = threadIdx.x; i < N; i += THREADS)
        output[i] = gamma * input[i] / rms + beta;
}

extern "C" void
solve(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    normalize<<<1, THREADS>>>(input, gamma, beta, output, N, eps);
}
