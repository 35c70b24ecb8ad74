// warpjudge: reduction
// expect: wrong_answer
// N / 512 blocks of 512 elements: what does not fill a block is left out.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
reduce(const float *input, float *output, int N)
{
    __shared__ float tree[THREADS];
    int i = blockIdx.x * 2 * THREADS + threadIdx.x;

    tree[threadIdx.x] = (i < N ? input[i] : 0.0f) +
                        (i + THREADS < N ? input[i + THREADS] : 0.0f);
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
    int blocks = N / (2 * THREADS);

    cudaMemset(output, 0, sizeof(float));
    reduce<<<blocks > 0 ? blocks : 1, THREADS>>>(input, output, N);
}
