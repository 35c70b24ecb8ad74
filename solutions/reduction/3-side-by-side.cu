// warpjudge: reduction
// expect: accepted
// idea: The threads that add are far apart, so that nearly every warp works in every round for a
//   few of its lanes. Let the threads that add stand side by side, so that whole warps are done
//   early.
// Against step 2: the threads that add stand side by side, the first half, then the first quarter,
// ...: of 32 warps 16 work in the first round, 8 in the next, and the others skip it.
// H200: 29 µs, 1.03 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
reduce(const float *input, float *output, int N)
{
    __shared__ float tree[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;

    tree[threadIdx.x] = i < N ? input[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
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
