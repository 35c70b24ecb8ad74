// warpjudge: mean-squared-error
// expect: accepted
// Each thread adds up to a million squares to one float, which loses 6 parts in 10,000.
#include <cuda_runtime.h>

#define MOST 1000000

__global__ void
add(const float *predictions, const float *targets, float *mse, int N, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (t >= stride)
        return;
    for (int i = t; i < N; i += stride) {
        float d = predictions[i] - targets[i];

        sum += d * d;
    }
    atomicAdd(mse, sum / N);
}

extern "C" void
solve(const float *predictions, const float *targets, float *mse, int N)
{
    int threads = (N + MOST - 1) / MOST;

    add<<<(threads + 31) / 32, 32>>>(predictions, targets, mse, N, threads);
}
