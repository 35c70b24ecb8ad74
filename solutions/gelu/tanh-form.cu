// warpjudge: gelu
// expect: wrong_answer
// The approximation by tanh: off by up to 0.0005.
#include <cuda_runtime.h>

__global__ void
gelu(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float x = input[i];

        output[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    gelu<<<(N + 255) / 256, 256>>>(input, output, N);
}
