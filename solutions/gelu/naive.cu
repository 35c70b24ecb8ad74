// warpjudge: gelu
// expect: accepted
// One thread for each element, with erff.
#include <cuda_runtime.h>

__global__ void
gelu(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float x = input[i];

        output[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    gelu<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
