// warpjudge: dyt
// expect: wrong_answer
// Takes the channel for the slower of the two dimensions: right only for one row.
#include <cuda_runtime.h>

__global__ void
dynamic_tanh(const float *input, const float *gamma, const float *beta, float *output, int N,
             int C, float alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N * C) {
        int c = i / N;

        output[i] = gamma[c] * tanhf(alpha * input[i]) + beta[c];
    }
}

extern "C" void
solve(const float *input, const float *gamma, const float *beta, float *output, int N, int C,
      float alpha)
{
    dynamic_tanh<<<(N * C + 255) / 256, 256>>>(input, gamma, beta, output, N, C, alpha);
}
