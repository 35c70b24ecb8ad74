// warpjudge: gelu-backward
// expect: accepted
// One thread for each element: erff for the distribution function, expf for the density.
#include <cuda_runtime.h>

__global__ void
gelu_backward(const float *input, const float *grad_output, float *grad_input, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float x = input[i];
        float below = 0.5f * (1.0f + erff(x * 0.70710678f));
        float density = expf(-0.5f * x * x) * 0.39894228f;

        grad_input[i] = grad_output[i] * (below + x * density);
    }
}

extern "C" void
solve(const float *input, const float *grad_output, float *grad_input, int N)
{
    gelu_backward<<<(N + 255) / 256, 256>>>(input, grad_output, grad_input, N);
    cudaDeviceSynchronize();
}
