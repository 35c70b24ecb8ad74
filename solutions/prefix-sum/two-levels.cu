// warpjudge: prefix-sum
// expect: accepted
// Two levels: 512 elements a block, and one block for the sums of at most 512 blocks. It is right up to
// 262,144 elements, beyond LeetGPU's largest case. Above them the last block's sums are lost.
#include <cuda_runtime.h>

#define THREADS 512

__device__ float
scan_block(float value)
{
    __shared__ float row[THREADS];
    int t = threadIdx.x;

    row[t] = value;
    __syncthreads();
    for (int reach = 1; reach < THREADS; reach *= 2) {
        float before = t >= reach ? row[t - reach] : 0.0f;

        __syncthreads();
        row[t] += before;
        __syncthreads();
    }
    return row[t];
}

__global__ void
scan_tiles(const float *input, float *output, float *sums, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = scan_block(i < N ? input[i] : 0.0f);

    if (i < N)
        output[i] = sum;
    if (threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = sum;
}

__global__ void
scan_sums(float *sums, int blocks)
{
    int t = threadIdx.x;
    float sum = scan_block(t < blocks ? sums[t] : 0.0f);

    if (t < blocks)
        sums[t] = sum;
}

__global__ void
add_sums(float *output, const float *sums, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < N && blockIdx.x > 0)
        output[i] += sums[blockIdx.x - 1];
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + THREADS - 1) / THREADS;
    float *sums;

    cudaMalloc(&sums, blocks * sizeof *sums);
    scan_tiles<<<blocks, THREADS>>>(input, output, sums, N);
    scan_sums<<<1, THREADS>>>(sums, blocks);
    add_sums<<<blocks, THREADS>>>(output, sums, N);
    cudaFree(sums);
}
