// warpjudge: radix-sort
// expect: accepted
// idea: Keys are in order once they have been split by each bit in turn, from the lowest, without
//   changing the order of equals. Count zeros and ones, compute where each block's begin, and place
//   the keys.
// One bit a pass: blocks count their keys whose bit is 0, one thread turns the counts into where
// each block's zeros and ones begin, and the blocks place their keys in order.
// H200: 116 ms
#include <cuda_runtime.h>

#define THREADS 1024

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
    int sum = 0;

    for (int b = 0; b < blocks; b++) {
        int all = zeros[b];

        zeros[b] = sum;
        sum += all;
    }
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
        scan<<<1, 1>>>(zeros, blocks);
        place<<<blocks, THREADS>>>(from, to, zeros, N, bit);
        from = to;
    }
    cudaFree(room[0]);
    cudaFree(room[1]);
    cudaFree(zeros);
}
