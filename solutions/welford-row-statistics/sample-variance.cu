// warpjudge: welford-row-statistics
// expect: wrong_answer
// Divides by N - 1: the sample's variance, and 0 / 0 for a single element.
#include <cuda_runtime.h>

#define THREADS 256

__device__ static float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    __syncthreads();
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
statistics(const float *input, float *mean, float *variance, int N)
{
    const float *row = input + (size_t)blockIdx.x * N;
    float sum = 0.0f, squares = 0.0f;

    for (int c = threadIdx.x; c < N; c += THREADS)
        sum += row[c];
    float middle = block_sum(sum) / N;

    for (int c = threadIdx.x; c < N; c += THREADS)
        squares += (row[c] - middle) * (row[c] - middle);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = middle;
        variance[blockIdx.x] = squares / (N - 1);
    }
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    statistics<<<M, THREADS>>>(input, mean, variance, N);
}
