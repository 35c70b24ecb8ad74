// warpjudge: reduction
// expect: accepted
// idea: The threads need a place where their elements meet. Give each element a thread, and let it
//   add to the output by an atomic addition.
// One atomic addition in memory for each element. All of them go to one address, where one waits
// for the other.
// H200: 7.41 ms
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
reduce(const float *input, float *output, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < N)
        atomicAdd(output, input[i]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    reduce<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
