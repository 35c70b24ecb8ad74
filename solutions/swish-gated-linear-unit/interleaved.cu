// warpjudge: swish-gated-linear-unit
// expect: wrong_answer
// Takes neighbours for a pair: right for N = 2 only.
#include <cuda_runtime.h>

__global__ void
swiglu(const float *input, float *output, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < half) {
        float a = input[2 * i], b = input[2 * i + 1];

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
