// warpjudge: swish
// expect: accepted
// One thread for each element. Where expf overflows, x / infinity is the 0 that is asked
// for.
#include <cuda_runtime.h>

__global__ void
swish(const float *input, float *output, int N, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = input[i] / (1.0f + expf(-beta * input[i]));
}

extern "C" void
solve(const float *input, float *output, int N, float beta)
{
    swish<<<(N + 255) / 256, 256>>>(input, output, N, beta);
    cudaDeviceSynchronize();
}
