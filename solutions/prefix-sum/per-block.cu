// warpjudge: prefix-sum
// expect: wrong_answer
// Scans each block of 256 by itself and carries nothing on: right for N <= 256.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
scan(const float *input, float *output, int N)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    sums[t] = i < N ? input[i] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        float before = t >= distance ? sums[t - distance] : 0.0f;

        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (i < N)
        output[i] = sums[t];
}

extern "C" void
solve(const float *input, float *output, int N)
{
    scan<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
