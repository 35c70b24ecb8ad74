// warpjudge: swish-gated-linear-unit
// expect: accepted
// One thread for each output.
#include <cuda_runtime.h>

__global__ void
swiglu(const float *input, float *output, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < half) {
        float a = input[i], b = input[i + half];

        output[i] = b * a / (1.0f + expf(-a));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int half = N / 2;

    swiglu<<<(half + 255) / 256, 256>>>(input, output, half);
    cudaDeviceSynchronize();
}
