// warpjudge: segmented-exclusive-prefix-sum
// expect: accepted
// idea: The slowest way comes first, to measure the others against. Scan each block's stretch in shared
//   memory, and let one thread carry the sums from block to block.
// A segmented scan by blocks of (has a flag, sum behind the last flag); one thread carries these
// pairs from block to block, and a third kernel adds what was carried to each block's first
// segment.
// H200: 13.1 ms
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
scan_blocks(const float *values, const int *flags, float *output, float *sums, int *heads, int N)
{
    __shared__ float sum[THREADS];
    __shared__ int head[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    sum[t] = i < N ? values[i] : 0.0f;
    head[t] = i < N ? flags[i] : 0;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        float left = t >= step ? sum[t - step] : 0.0f;
        int left_head = t >= step ? head[t - step] : 0;

        __syncthreads();
        if (!head[t])
            sum[t] += left;
        head[t] |= left_head;
        __syncthreads();
    }
    if (i < N)
        output[i] = flags[i] || t == 0 ? 0.0f : sum[t - 1];
    if (t == THREADS - 1) {
        sums[blockIdx.x] = sum[t];
        heads[blockIdx.x] = head[t];
    }
}

__global__ void
carry(float *sums, const int *heads, int blocks)
{
    float before = 0.0f;

    for (int b = 0; b < blocks; b++) {
        float mine = sums[b];

        sums[b] = before;
        before = heads[b] ? mine : before + mine;
    }
}

__global__ void
add_carried(const int *flags, float *output, const float *sums, int N)
{
    __shared__ int first; // the block's first flag
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    if (t == 0)
        first = THREADS;
    __syncthreads();
    if (i < N && flags[i])
        atomicMin(&first, t);
    __syncthreads();
    if (i < N && t < first)
        output[i] += sums[blockIdx.x];
}

extern "C" void
solve(const float *values, const int *flags, float *output, int N)
{
    int blocks = (N + THREADS - 1) / THREADS;
    float *sums;
    int *heads;

    cudaMalloc(&sums, blocks * sizeof(float));
    cudaMalloc(&heads, blocks * sizeof(int));
    scan_blocks<<<blocks, THREADS>>>(values, flags, output, sums, heads, N);
    carry<<<1, 1>>>(sums, heads, blocks);
    add_carried<<<blocks, THREADS>>>(flags, output, sums, N);
    cudaFree(sums);
    cudaFree(heads);
}
