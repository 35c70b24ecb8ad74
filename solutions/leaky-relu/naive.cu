// warpjudge: leaky-relu
// expect: accepted
// One thread for each element.
#include <cuda_runtime.h>

__global__ void
leaky_relu(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = input[i] > 0.0f ? input[i] : 0.01f * input[i];
}

extern "C" void
solve(const float *input, float *output, int N)
{
    leaky_relu<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
