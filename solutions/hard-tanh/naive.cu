// warpjudge: hard-tanh
// expect: accepted
// One thread for each element: minimum, then maximum.
#include <cuda_runtime.h>

__global__ void
hard_tanh(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = fmaxf(-1.0f, fminf(1.0f, input[i]));
}

extern "C" void
solve(const float *input, float *output, int N)
{
    hard_tanh<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
