// warpjudge: sigmoid-linear-unit
// expect: wrong_answer
// x * exp(x) / (1 + exp(x)): above 88 that is infinity / infinity, NaN.
#include <cuda_runtime.h>

__global__ void
silu(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float x = input[i], e = expf(x);

        output[i] = x * e / (1.0f + e);
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    silu<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
