// warpjudge: tanh-activation
// expect: accepted
// One thread for each element, with tanhf.
#include <cuda_runtime.h>

__global__ void
tangents(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = tanhf(input[i]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    tangents<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
