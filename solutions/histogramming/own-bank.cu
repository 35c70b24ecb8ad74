// warpjudge: histogramming
// expect: accepted
// Beside the ladder. Against its step 3: a block counts in 32 copies, one for each lane of a warp. Copy c of every bin lies in
// bank c: no two lanes of a warp ever meet, neither in a bin nor in a bank, however the inputs are
// spread. With more than 256 bins there is room for fewer copies.
// H200: 59.8 us by events, step 3 takes 59.2: no gain for inputs that are spread evenly.
#include <cuda_runtime.h>

#define THREADS 1024
#define SHARED_INTS 8192 // 32 KiB
#define COPIES_MAX 32
#define BLOCKS 264 // two for each of 132 multiprocessors

__global__ void
count(const int *__restrict__ input, int *histogram, int N, int num_bins,
      int copies) // a power of two
{
    __shared__ int bins[SHARED_INTS]; // bin b of copy c at b * copies + c
    const int4 *quads = (const int4 *)input;
    int first = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;
    int copy = threadIdx.x & (copies - 1);

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
            sum += bins[b * copies + ((c + b) & (copies - 1))];
        if (sum != 0)
            atomicAdd(&histogram[b], sum);
    }
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    int copies = COPIES_MAX, blocks = max(1, min((N / 4 + THREADS - 1) / THREADS, BLOCKS));

    while (copies * num_bins > SHARED_INTS)
        copies /= 2;
    count<<<blocks, THREADS>>>(input, histogram, N, num_bins, copies);
}
