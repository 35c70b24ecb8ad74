// warpjudge: gelu-fp16
// expect: wrong_answer
// Two neighbours for each thread, and nobody for an odd last one.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ static float
gelu(float x)
{
    return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

__global__ void
gelu_pairs(const half *input, half *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N / 2) {
        float2 x = __half22float2(((const half2 *)input)[i]);

        ((half2 *)output)[i] = __floats2half2_rn(gelu(x.x), gelu(x.y));
    }
}

extern "C" void
solve(const half *input, half *output, int N)
{
    gelu_pairs<<<(N + 511) / 512, 256>>>(input, output, N);
}
