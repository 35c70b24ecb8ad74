// warpjudge: monte-carlo-integration
// expect: wrong_answer
// The mean of the means of blocks of 256, the last of which is counted as a full one.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
integrate(const float *y_samples, float *result, float scale, int n_samples)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    tree[t] = i < n_samples ? y_samples[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, tree[0] / THREADS * scale);
}

extern "C" void
solve(const float *y_samples, float *result, float a, float b, int n_samples)
{
    int blocks = (n_samples + THREADS - 1) / THREADS;

    integrate<<<blocks, THREADS>>>(y_samples, result, (b - a) / blocks, n_samples);
}
