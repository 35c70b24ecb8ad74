// warpjudge: gaussian-error-gated-linear-unit
// expect: wrong_answer
// The approximation by tanh: off by up to 5e-4 of the scaled value.
#include <cuda_runtime.h>

__global__ void
geglu(const float *input, float *output, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < half) {
        float a = input[i], b = input[i + half];
        float inner = 0.79788456f * (b + 0.044715f * b * b * b);

        output[i] = a * b * 0.5f * (1.0f + tanhf(inner));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int half = N / 2;

    geglu<<<(half + 255) / 256, 256>>>(input, output, half);
    cudaDeviceSynchronize();
}
