// warpjudge: batch-normalization
// expect: wrong_answer
// Divides the squares by N - 1.
#include <cuda_runtime.h>

#define THREADS 128

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
normalize(const float *input, const float *gamma, const float *beta, float *output, int N,
          int C, float eps)
{
    int j = blockIdx.x;
    float sum = 0.0f, squares = 0.0f;

    for (int i = threadIdx.x; i < N; i += THREADS)
        sum += input[i * C + j];
    float mean = block_sum(sum) / N;

    for (int i = threadIdx.x; i < N; i += THREADS) {
        float x = input[i * C + j] - mean;

        squares += x * x;
    }
    float variance = block_sum(squares) / max(1, N - 1);
    float scale = gamma[j] / sqrtf(variance + eps);

    for (int i = threadIdx.x; i < N; i += THREADS)
        output[i * C + j] = (input[i * C + j] - mean) * scale + beta[j];
}

extern "C" void
solve(const float *input, const float *gamma, const float *beta, float *output, int N,
      int C, float eps)
{
    normalize<<<C, THREADS>>>(input, gamma, beta, output, N, C, eps);
}
