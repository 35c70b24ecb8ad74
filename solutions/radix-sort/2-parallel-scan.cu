// warpjudge: radix-sort
// expect: accepted
// idea: One thread adds up the counts of all blocks while the rest of the GPU waits. Let a whole
//   block do it, with a share of the counts for each thread.
// A block of 1024 threads instead of one thread adds up the counts of the blocks: a thread takes a
// share of neighbours, and shares begin where those before them end.
// H200: 45.1 ms, 2.6 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 256
#define SCANNERS 1024

// How many of the block's threads before this one have a flag.
__device__ int
rank(int flag)
{
    __shared__ int sum[THREADS];
    int t = threadIdx.x;

    __syncthreads(); // the call before may still be reading
    sum[t] = flag;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int other = t >= step ? sum[t - step] : 0;

        __syncthreads();
        sum[t] += other;
        __syncthreads();
    }
    return sum[t] - flag;
}

__global__ void
count(const unsigned *keys, int *zeros, int N, int bit)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    int all = __syncthreads_count(i < N && (keys[i] >> bit & 1) == 0);

    if (threadIdx.x == 0)
        zeros[blockIdx.x] = all;
}

// The zeros of a block begin behind those of the blocks before; zeros[blocks] becomes their number.
__global__ void
scan(int *zeros, int blocks)
{
    __shared__ int sums[SCANNERS];
    int t = threadIdx.x, share = (blocks + SCANNERS - 1) / SCANNERS;
    int first = min(t * share, blocks), end = min(first + share, blocks), sum = 0;

    for (int b = first; b < end; b++)
        sum += zeros[b];
    sums[t] = sum;
    __syncthreads();
    for (int step = 1; step < SCANNERS; step *= 2) {
        int other = t >= step ? sums[t - step] : 0;

        __syncthreads();
        sums[t] += other;
        __syncthreads();
    }
    sum = sums[t] - sum; // of the shares before
    for (int b = first; b < end; b++) {
        int all = zeros[b];

        zeros[b] = sum;
        sum += all;
    }
    if (t == SCANNERS - 1)
        zeros[blocks] = sum;
}

__global__ void
place(const unsigned *keys, unsigned *sorted, const int *zeros, int N, int bit)
{
    int first = blockIdx.x * THREADS, i = first + threadIdx.x;
    unsigned key = i < N ? keys[i] : 0;
    int zero = i < N && (key >> bit & 1) == 0;
    int before = zeros[blockIdx.x] + rank(zero); // zeros before this key, of all

    if (i < N)
        sorted[zero ? before : zeros[gridDim.x] + i - before] = key;
}

extern "C" void
solve(const unsigned int *input, unsigned int *output, int N)
{
    int blocks = (N + THREADS - 1) / THREADS;
    const unsigned *from = input;
    unsigned *room[2];
    int *zeros;

    cudaMalloc(&room[0], N * sizeof(unsigned));
    cudaMalloc(&room[1], N * sizeof(unsigned));
    cudaMalloc(&zeros, (blocks + 1) * sizeof(int));
    for (int bit = 0; bit < 32; bit++) {
        unsigned *to = bit == 31 ? output : room[bit % 2];

        count<<<blocks, THREADS>>>(from, zeros, N, bit);
        scan<<<1, SCANNERS>>>(zeros, blocks);
        place<<<blocks, THREADS>>>(from, to, zeros, N, bit);
        from = to;
    }
    cudaFree(room[0]);
    cudaFree(room[1]);
    cudaFree(zeros);
}
