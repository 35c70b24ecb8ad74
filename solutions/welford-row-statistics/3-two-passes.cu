// warpjudge: welford-row-statistics
// expect: accepted
// idea: Welford's update waits for a division at every number. Make two plain passes, one for the
//   mean and one for the squares of the distances, because the row is still in the cache.
// Against step 2: two plain passes in a block for each row, one for the mean and one for the squares
// of the distances. Welford's update waits for a division at each number; a sum waits for an addition.
// The second pass reads memory no more than the first, for a row of 16 KB is still in the cache.
// H200: 1.22 ms, 1.64 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 256

__device__ static float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    __syncthreads(); // until all have read the last sum
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
        variance[blockIdx.x] = squares / N;
    }
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    statistics<<<M, THREADS>>>(input, mean, variance, N);
}
