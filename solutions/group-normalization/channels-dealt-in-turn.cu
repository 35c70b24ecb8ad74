// warpjudge: group-normalization
// expect: wrong_answer
// Takes gamma and beta as if channel c were in group c % G.
#include <cuda_runtime.h>

#define THREADS 256

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

// One block for each group: its channels lie side by side in memory.
__global__ void
normalize(const float *X, const float *gamma, const float *beta, float *Y, int C,
          int area, int G, float eps)
{
    int channels = C / G, count = channels * area;
    int first = blockIdx.x % G * channels;
    const float *x = X + (size_t)blockIdx.x * count;
    float *y = Y + (size_t)blockIdx.x * count;
    float sum = 0.0f, squares = 0.0f;

    for (int i = threadIdx.x; i < count; i += THREADS)
        sum += x[i];
    float mean = block_sum(sum) / count;

    for (int i = threadIdx.x; i < count; i += THREADS)
        squares += (x[i] - mean) * (x[i] - mean);
    float variance = block_sum(squares) / count;
    float scale = 1.0f / sqrtf(variance + eps);

    for (int i = threadIdx.x; i < count; i += THREADS) {
        int channel = blockIdx.x % G + i / area * G;

        y[i] = gamma[channel] * (x[i] - mean) * scale + beta[channel];
    }
}

extern "C" void
solve(const float *X, const float *gamma, const float *beta, float *Y, int N, int C,
      int H, int W, int G, float eps)
{
    normalize<<<N * G, THREADS>>>(X, gamma, beta, Y, C, H * W, G, eps);
}
