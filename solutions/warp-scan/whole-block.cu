// warpjudge: warp-scan
// expect: wrong_answer
// Sums go on through the whole block: right only up to the first 32 elements of each.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
scan(const int *input, int *output, int N)
{
    __shared__ int sums[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    sums[t] = i < N ? input[i] : 0;
    __syncthreads();
    for (int reach = 1; reach < THREADS; reach *= 2) {
        int below = t >= reach ? sums[t - reach] : 0;

        __syncthreads();
        sums[t] += below;
        __syncthreads();
    }
    if (i < N)
        output[i] = sums[t];
}

extern "C" void
solve(const int *input, int *output, int N)
{
    scan<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
