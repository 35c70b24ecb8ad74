// warpjudge: welford-row-statistics
// expect: wrong_answer
// Mean of squares minus square of the mean: the difference of two numbers near 1,000,000.
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

    for (int c = threadIdx.x; c < N; c += THREADS) {
        sum += row[c];
        squares += row[c] * row[c];
    }
    sum = block_sum(sum) / N;
    squares = block_sum(squares) / N;
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = sum;
        variance[blockIdx.x] = squares - sum * sum;
    }
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    statistics<<<M, THREADS>>>(input, mean, variance, N);
}
