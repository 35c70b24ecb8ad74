// warpjudge: gelu-backward
// expect: wrong_answer
// Forgets the product rule: x Phi(x) is treated as if Phi(x) were a constant factor.
#include <cuda_runtime.h>

__global__ void
gelu_backward(const float *input, const float *grad_output, float *grad_input, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        grad_input[i] = grad_output[i] * 0.5f * (1.0f + erff(input[i] * 0.70710678f));
}

extern "C" void
solve(const float *input, const float *grad_output, float *grad_input, int N)
{
    gelu_backward<<<(N + 255) / 256, 256>>>(input, grad_output, grad_input, N);
}
