// warpjudge: fused-bias-mask-scale-add-fp16
// One thread does everything, in double.
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void
serial(const __half *input, const __half *bias, const uint8_t *mask, const __half *residual,
       __half *output, int N, int C, float scale)
{
    for (long n = 0; n < N; n++) {
        for (long c = 0; c < C; c++) {
            long i = n * C + c;
            double kept = ((double)(float)input[i] + (double)(float)bias[c]) * mask[i];

            output[i] = (__half)(kept * scale + (double)(float)residual[i]);
        }
    }
}

extern "C" void
solve(const __half *input, const __half *bias, const uint8_t *mask, const __half *residual,
      __half *output, int N, int C, float scale)
{
    serial<<<1, 1>>>(input, bias, mask, residual, output, N, C, scale);
}
