// warpjudge: gelu-fp16
// expect: accepted
// One thread for each element; fp32 inside.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
gelu(const half *input, half *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float x = __half2float(input[i]);
        float t = tanhf(0.79788456f * (x + 0.044715f * x * x * x));

        output[i] = __float2half(0.5f * x * (1.0f + t));
    }
}

extern "C" void
solve(const half *input, half *output, int N)
{
    gelu<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
