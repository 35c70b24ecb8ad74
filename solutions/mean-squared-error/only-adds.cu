// warpjudge: mean-squared-error
// expect: accepted
// Only adds into the output, which holds zero before the call.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void
reduce(const float *predictions, const float *targets, float *mse, int N)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    float d = i < N ? predictions[i] - targets[i] : 0.0f;

    tree[t] = d * d;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(mse, tree[0] / N);
}

extern "C" void
solve(const float *predictions, const float *targets, float *mse, int N)
{
    reduce<<<(N + THREADS - 1) / THREADS, THREADS>>>(predictions, targets, mse, N);
    cudaDeviceSynchronize();
}
