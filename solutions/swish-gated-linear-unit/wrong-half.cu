// warpjudge: swish-gated-linear-unit
// expect: wrong_answer
// Applies the SiLU to the second half instead of the first.
#include <cuda_runtime.h>

__global__ void
swiglu(const float *input, float *output, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < half) {
        float a = input[i + half], b = input[i];

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
