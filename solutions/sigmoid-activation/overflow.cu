// warpjudge: sigmoid-activation
// expect: wrong_answer
// exp(x) / (1 + exp(x)): above 88 that is infinity / infinity, NaN.
#include <cuda_runtime.h>

__global__ void
sigmoid(const float *X, float *Y, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float e = expf(X[i]);

        Y[i] = e / (1.0f + e);
    }
}

extern "C" void
solve(const float *X, float *Y, int N)
{
    sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
    cudaDeviceSynchronize();
}
