// warpjudge: value-clipping
// expect: wrong_answer
// What lies outside the range becomes 0, not the nearer bound.
#include <cuda_runtime.h>

__global__ void
clip(const float *input, float *output, float lo, float hi, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = input[i] >= lo && input[i] <= hi ? input[i] : 0.0f;
}

extern "C" void
solve(const float *input, float *output, float lo, float hi, int N)
{
    clip<<<(N + 255) / 256, 256>>>(input, output, lo, hi, N);
    cudaDeviceSynchronize();
}
