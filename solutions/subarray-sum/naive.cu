// warpjudge: subarray-sum
// expect: accepted
// A tree in shared memory for each block, then one atomic addition a block.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
sum(const int *input, int *output, int count)
{
    __shared__ int tree[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    tree[t] = i < count ? input[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(output, tree[0]);
}

extern "C" void
solve(const int *input, int *output, int N, int S, int E)
{
    int count = E - S + 1;

    sum<<<count / THREADS + 1, THREADS>>>(input + S, output, count);
    cudaDeviceSynchronize();
}
