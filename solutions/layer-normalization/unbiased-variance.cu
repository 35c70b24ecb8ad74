// warpjudge: layer-normalization
// expect: wrong_answer
// Divides the squares by C - 1: seen in short rows.
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
normalize(const float *input, const float *weight, const float *bias, float *output,
          int C, float eps)
{
    const float *x = input + (size_t)blockIdx.x * C;
    float *y = output + (size_t)blockIdx.x * C;
    float sum = 0.0f, squares = 0.0f;

    for (int j = threadIdx.x; j < C; j += THREADS)
        sum += x[j];
    float mean = block_sum(sum) / C;

    for (int j = threadIdx.x; j < C; j += THREADS)
        squares += (x[j] - mean) * (x[j] - mean);
    float variance = block_sum(squares) / max(1, C - 1);
    float scale = 1.0f / sqrtf(variance + eps);

    for (int j = threadIdx.x; j < C; j += THREADS)
        y[j] = weight[j] * (x[j] - mean) * scale + bias[j];
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output, int N,
      int C, float eps)
{
    normalize<<<N, THREADS>>>(input, weight, bias, output, C, eps);
}
