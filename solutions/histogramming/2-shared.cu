// warpjudge: histogramming
// expect: accepted
// idea: All additions meet at a few lines of memory, where they wait for each other. Let each block
//   count in its own shared memory, and add its counts to the result at the end.
// Against step 1: no more blocks than the GPU holds at once, and each counts its part of the inputs in
// its own shared memory. What goes to the histogram in global memory is one addition for each bin of
// each block.
// H200: 88.3 µs, 147 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 1024
#define BINS_MAX 1024
#define BLOCKS 264 // two for each of 132 multiprocessors

__global__ void
count(const int *__restrict__ input, int *histogram, int N, int num_bins)
{
    __shared__ int bins[BINS_MAX];

    for (int b = threadIdx.x; b < num_bins; b += THREADS)
        bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        atomicAdd(&bins[input[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < num_bins; b += THREADS)
        if (bins[b] != 0)
            atomicAdd(&histogram[b], bins[b]);
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    int blocks = min((N + THREADS - 1) / THREADS, BLOCKS);

    count<<<blocks, THREADS>>>(input, histogram, N, num_bins);
}
