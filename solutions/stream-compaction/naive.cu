// warpjudge: stream-compaction
// expect: accepted
// Three kernels: each block counts what it keeps, one thread turns the counts into where each
// block begins, each block places what it keeps by a scan over its threads.
#include <cuda_runtime.h>

#define THREADS 1024

// How many of the block's flags are set before this thread's, and with it.
__device__ int
inclusive(int flag)
{
    __shared__ int sum[THREADS];
    int t = threadIdx.x;

    sum[t] = flag;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int other = t >= step ? sum[t - step] : 0;

        __syncthreads();
        sum[t] += other;
        __syncthreads();
    }
    return sum[t];
}

__global__ void
count(const float *A, int *begins, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    int all = __syncthreads_count(i < N && A[i] > 0.0f);

    if (threadIdx.x == 0)
        begins[blockIdx.x] = all;
}

__global__ void
scan(int *begins, int blocks)
{
    int sum = 0;

    for (int b = 0; b < blocks; b++) {
        int all = begins[b];

        begins[b] = sum;
        sum += all;
    }
}

__global__ void
place(const float *A, const int *begins, float *out, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    int keep = i < N && A[i] > 0.0f;
    int rank = inclusive(keep);

    if (keep)
        out[begins[blockIdx.x] + rank - 1] = A[i];
}

extern "C" void
solve(const float *A, int N, float *out)
{
    int blocks = (N + THREADS - 1) / THREADS;
    int *begins;

    cudaMalloc(&begins, blocks * sizeof(int));
    count<<<blocks, THREADS>>>(A, begins, N);
    scan<<<1, 1>>>(begins, blocks);
    place<<<blocks, THREADS>>>(A, begins, out, N);
    cudaFree(begins);
}
