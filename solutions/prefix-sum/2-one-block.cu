// warpjudge: prefix-sum
// expect: accepted
// idea: One thread is next to nothing of the GPU. Give each thread of a block a share, scan the
//   totals of the shares, and let each thread go over its share again from there.
// Against step 1: 1024 threads. Each adds up a share of its own, the 1024 totals are scanned in shared
// memory in ten rounds, then each thread goes over its share again, starting from what lies before it.
// H200: 373 µs, 34 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
scan(const float *input, float *output, int N)
{
    __shared__ float totals[THREADS];
    int t = threadIdx.x, share = (N + THREADS - 1) / THREADS;
    int first = min(N, t * share), end = min(N, first + share);
    float sum = 0.0f;

    for (int i = first; i < end; i++)
        sum += input[i];
    totals[t] = sum;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        float before = t >= distance ? totals[t - distance] : 0.0f;

        __syncthreads();
        totals[t] += before;
        __syncthreads();
    }
    sum = t > 0 ? totals[t - 1] : 0.0f;
    for (int i = first; i < end; i++) {
        sum += input[i];
        output[i] = sum;
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    scan<<<1, THREADS>>>(input, output, N);
}
