// warpjudge: leaky-relu
// expect: wrong_answer
// Vector loads, but the last N % 4 elements are forgotten.
#include <cuda_runtime.h>

__global__ void
leaky_relu4(const float4 *input, float4 *output, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < quads) {
        float4 x = input[i];

        // The slope is below 1, so that the larger of the two is the right one.
        output[i] = make_float4(fmaxf(x.x, 0.01f * x.x), fmaxf(x.y, 0.01f * x.y),
                                fmaxf(x.z, 0.01f * x.z), fmaxf(x.w, 0.01f * x.w));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int quads = N / 4;

    leaky_relu4<<<quads / 256 + 1, 256>>>((const float4 *)input, (float4 *)output, quads);
}
