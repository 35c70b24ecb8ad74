// warpjudge: blelloch-scan
// expect: wrong_answer
// Each block scans its 1024 elements by itself: right only up to the first block's end.
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
scan(const unsigned *input, unsigned *output, int N)
{
    __shared__ unsigned sums[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    unsigned mine = i < N ? input[i] : 0;

    sums[t] = mine;
    __syncthreads();
    for (int reach = 1; reach < THREADS; reach *= 2) {
        unsigned left = t >= reach ? sums[t - reach] : 0;

        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    if (i < N)
        output[i] = sums[t] - mine;
}

extern "C" void
solve(const unsigned *input, unsigned *output, int N)
{
    scan<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
