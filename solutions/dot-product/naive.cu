// warpjudge: dot-product
// expect: accepted
// A tree in shared memory for each block, then one atomic addition a block.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
dot(const float *A, const float *B, float *result, int N)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    tree[t] = i < N ? A[i] * B[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, tree[0]);
}

extern "C" void
solve(const float *A, const float *B, float *result, int N)
{
    dot<<<(N + THREADS - 1) / THREADS, THREADS>>>(A, B, result, N);
    cudaDeviceSynchronize();
}
