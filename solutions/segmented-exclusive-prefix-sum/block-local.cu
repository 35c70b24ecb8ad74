// warpjudge: segmented-exclusive-prefix-sum
// expect: wrong_answer
// Every block of 256 begins from 0: right only if a segment begins with each of them.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
scan_blocks(const float *values, const int *flags, float *output, int N)
{
    __shared__ float sum[THREADS];
    __shared__ int head[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    sum[t] = i < N ? values[i] : 0.0f;
    head[t] = i < N ? flags[i] : 0;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        float left = t >= step ? sum[t - step] : 0.0f;
        int left_head = t >= step ? head[t - step] : 0;

        __syncthreads();
        if (!head[t])
            sum[t] += left;
        head[t] |= left_head;
        __syncthreads();
    }
    if (i < N)
        output[i] = flags[i] || t == 0 ? 0.0f : sum[t - 1];
}

extern "C" void
solve(const float *values, const int *flags, float *output, int N)
{
    scan_blocks<<<(N + THREADS - 1) / THREADS, THREADS>>>(values, flags, output, N);
}
