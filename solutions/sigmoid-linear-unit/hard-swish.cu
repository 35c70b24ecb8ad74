// warpjudge: sigmoid-linear-unit
// expect: wrong_answer
// The piecewise linear stand-in for the sigmoid: near, but not the SiLU.
#include <cuda_runtime.h>

__global__ void
hard_swish(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float x = input[i];

        output[i] = x * __saturatef((x + 3.0f) / 6.0f);
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    hard_swish<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
