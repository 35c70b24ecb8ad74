// warpjudge: histogramming
// expect: accepted
// Each block counts in shared memory, in several copies so that neighbours that hit the same
// bin seldom meet; int4 loads over a grid of fixed size; one global addition for each bin.
#include <cuda_runtime.h>

#define THREADS 512
#define SHARED_INTS 8192 // 32 KiB
#define COPIES_MAX 16
#define BLOCKS 528 // four for each of 132 multiprocessors

__global__ void
count(const int *__restrict__ input, int *histogram, int N, int num_bins, int copies)
{
    __shared__ int bins[SHARED_INTS]; // bin b of copy c at b * copies + c
    const int4 *quads = (const int4 *)input;
    int first = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;
    int copy = threadIdx.x % copies;

    for (int b = threadIdx.x; b < num_bins * copies; b += THREADS)
        bins[b] = 0;
    __syncthreads();
    for (int i = first; i < N / 4; i += step) {
        int4 v = quads[i];

        atomicAdd(&bins[v.x * copies + copy], 1);
        atomicAdd(&bins[v.y * copies + copy], 1);
        atomicAdd(&bins[v.z * copies + copy], 1);
        atomicAdd(&bins[v.w * copies + copy], 1);
    }
    if (first < N % 4)
        atomicAdd(&bins[input[N / 4 * 4 + first] * copies + copy], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < num_bins; b += THREADS) {
        int sum = 0;

        for (int c = 0; c < copies; c++)
            sum += bins[b * copies + (c + b) % copies];
        if (sum != 0)
            atomicAdd(&histogram[b], sum);
    }
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    int copies = SHARED_INTS / num_bins, blocks = (N / 4 + 4 * THREADS - 1) / (4 * THREADS);

    copies = copies < 1 ? 1 : copies > COPIES_MAX ? COPIES_MAX : copies;
    blocks = blocks < 1 ? 1 : blocks > BLOCKS ? BLOCKS : blocks;
    count<<<blocks, THREADS>>>(input, histogram, N, num_bins, copies);
}
