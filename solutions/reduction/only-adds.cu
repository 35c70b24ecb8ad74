// warpjudge: reduction
// expect: accepted
// Only adds into the output, which holds zero before the call.
#include <cuda_runtime.h>

#define THREADS 256

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
    reduce<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
