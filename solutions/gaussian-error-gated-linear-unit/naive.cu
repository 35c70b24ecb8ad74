// warpjudge: gaussian-error-gated-linear-unit
// expect: accepted
// One thread for each output.
#include <cuda_runtime.h>

__global__ void
geglu(const float *input, float *output, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < half) {
        float a = input[i], b = input[i + half];

        output[i] = a * b * 0.5f * (1.0f + erff(b * 0.70710678f));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int half = N / 2;

    geglu<<<(half + 255) / 256, 256>>>(input, output, half);
    cudaDeviceSynchronize();
}
