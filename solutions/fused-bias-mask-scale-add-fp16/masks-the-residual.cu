// warpjudge: fused-bias-mask-scale-add-fp16
// expect: wrong_answer
// Applies the mask last: it takes the residual with it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
fused(const half *input, const half *bias, const unsigned char *mask, const half *residual,
      half *output, int N, int C, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N * C) {
        float x = __half2float(input[i]) + __half2float(bias[i % C]);

        output[i] = __float2half((x * scale + __half2float(residual[i])) * mask[i]);
    }
}

extern "C" void
solve(const half *input, const half *bias, const unsigned char *mask, const half *residual,
      half *output, int N, int C, float scale)
{
    fused<<<(N * C + 255) / 256, 256>>>(input, bias, mask, residual, output, N, C, scale);
}
