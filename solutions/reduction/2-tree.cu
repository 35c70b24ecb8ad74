// warpjudge: reduction
// expect: accepted
// idea: All atomic additions go to one address, where each waits for the one before. Let a block
//   add up its elements in shared memory, pair by pair, and make one atomic addition of them.
// Against step 1: a block first adds its 1024 elements in shared memory, in pairs, then pairs of
// pairs, ..., and makes one atomic addition of them. The threads that add are 2, 4, 8, ... apart:
// every warp takes part in nearly every round, for the sake of ever fewer of its threads.
// H200: 29.8 µs, 249 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
reduce(const float *input, float *output, int N)
{
    __shared__ float tree[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;

    tree[threadIdx.x] = i < N ? input[i] : 0.0f;
    __syncthreads();
    for (int apart = 1; apart < THREADS; apart *= 2) {
        if (threadIdx.x % (2 * apart) == 0)
            tree[threadIdx.x] += tree[threadIdx.x + apart];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(output, tree[0]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    reduce<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
