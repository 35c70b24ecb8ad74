// warpjudge: sigmoid-linear-unit
// expect: accepted
// One thread for each element.
#include <cuda_runtime.h>

__global__ void
silu(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float x = input[i];

        output[i] = x / (1.0f + expf(-x));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    silu<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
