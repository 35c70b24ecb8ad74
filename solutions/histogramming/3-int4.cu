// warpjudge: histogramming
// expect: accepted
// idea: A thread waits for memory after every single input. Load four inputs at a time, so that
//   more bytes are on their way while it waits.
// Against step 2: four inputs a load. A thread waits for memory a fourth as often, and four times as
// many bytes are on their way. The last N % 4 go one by one.
// H200: 58.2 µs, 1.52 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 1024
#define BINS_MAX 1024
#define BLOCKS 264 // two for each of 132 multiprocessors

__global__ void
count(const int *__restrict__ input, int *histogram, int N, int num_bins)
{
    __shared__ int bins[BINS_MAX];
    const int4 *quads = (const int4 *)input;
    int first = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;

    for (int b = threadIdx.x; b < num_bins; b += THREADS)
        bins[b] = 0;
    __syncthreads();
    for (int i = first; i < N / 4; i += step) {
        int4 v = quads[i];

        atomicAdd(&bins[v.x], 1);
        atomicAdd(&bins[v.y], 1);
        atomicAdd(&bins[v.z], 1);
        atomicAdd(&bins[v.w], 1);
    }
    if (first < N % 4)
        atomicAdd(&bins[input[N / 4 * 4 + first]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < num_bins; b += THREADS)
        if (bins[b] != 0)
            atomicAdd(&histogram[b], bins[b]);
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    int blocks = max(1, min((N / 4 + THREADS - 1) / THREADS, BLOCKS));

    count<<<blocks, THREADS>>>(input, histogram, N, num_bins);
}
