// warpjudge: nvfp4-batched-gemv
// expect: accepted
// idea: Each product waits for two numbers from tables. Make pairs of half-precision numbers from
//   the codes by shifts and masks, and multiply two at a time.
// Against step 1: no tables. Two shifts and masks make two codes a pair of halves, whose products
// are added two at a time. Eight products of four-bit numbers are exact in a half: they are
// multiples of 1/4 below 288. A block's sum goes to floats with its scales.
// H200: 2.08 ms, 1.56 times as fast as step 1
#include <cuda_fp16.h>
#include <stdint.h>

#define WARPS 4
#define TOO_SMALL 0x1p31f // 2^14 and 2^1 for the codes, 2^8 for each scale

// The bits of a code are those of a half that has the same sign, the lowest two bits of the exponent
// and the highest one of the mantissa: it is 2^14 times too small, also where it is subnormal. This
// makes halves of codes k and k + 4 of a word.
__device__ static half2
codes(unsigned word, int k)
{
    unsigned size = k < 3 ? word << (9 - 4 * k) : word >> 3, bits;

    bits = (size & 0x0E000E00) | (word << (12 - 4 * k) & 0x80008000);
    return *(half2 *)&bits;
}

// A scale's bits are those of a half that is 2^8 times too small; scales are positive.
__device__ static float
scale(uint8_t byte)
{
    return __half2float(__ushort_as_half((unsigned short)(byte << 7)));
}

// The sum of 16 products, 2^15 times too small: x is multiplied by 2^13, so that nothing underflows.
__device__ static float
block_sum(uint2 a, uint2 x)
{
    half2 up = __float2half2_rn(0x1p13f), sum = __float2half2_rn(0.0f);

#pragma unroll
    for (int k = 0; k < 4; k++) {
        sum = __hfma2(codes(a.x, k), __hmul2(codes(x.x, k), up), sum);
        sum = __hfma2(codes(a.y, k), __hmul2(codes(x.y, k), up), sum);
    }
    return __low2float(sum) + __high2float(sum);
}

__global__ void
rows(const uint2 *a, const uint8_t *sfa, const uint2 *x, const uint8_t *sfx, half *y, int M, int blocks)
{
    int m = blockIdx.x * WARPS + threadIdx.y, l = blockIdx.y;
    size_t row = ((size_t)l * M + m) * blocks, vector = (size_t)l * blocks;
    float sum = 0.0f;

    if (m >= M)
        return;
    for (int b = threadIdx.x; b < blocks; b += 32)
        sum += block_sum(a[row + b], x[vector + b]) * (scale(sfa[row + b]) * scale(sfx[vector + b]));
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (threadIdx.x == 0)
        y[(size_t)l * M + m] = __float2half(TOO_SMALL * sum);
}

extern "C" void
solve(const uint8_t *a, const uint8_t *sfa, const uint8_t *x, const uint8_t *sfx, half *y, int M,
      int K, int L)
{
    rows<<<dim3((M + WARPS - 1) / WARPS, L), dim3(32, WARPS)>>>((const uint2 *)a, sfa, (const uint2 *)x,
                                                                sfx, y, M, K / 16);
}
