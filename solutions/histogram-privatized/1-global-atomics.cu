// warpjudge: histogram-privatized
// expect: accepted
// idea: Each byte adds one to a counter of its image. Give each byte a thread, and use an atomic
//   addition in memory so that no count is lost.
// One atomic addition in memory for each byte. Nine of ten go to one counter of an image,
// where one waits for the other.
// H200: 1.42 s
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
count(const unsigned char *input, int *histogram, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x, b = blockIdx.y;

    if (i < N)
        atomicAdd(&histogram[b * 256 + input[(size_t)b * N + i]], 1);
}

extern "C" void
solve(const unsigned char *input, int *histogram, int B, int N)
{
    dim3 grid((N + THREADS - 1) / THREADS, B);

    cudaMemset(histogram, 0, B * 256 * sizeof(int));
    count<<<grid, THREADS>>>(input, histogram, N);
}
