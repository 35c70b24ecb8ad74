/* Sums in double, rounded once: a warp for each row, joined in the same order every time. */
#include <cuda_fp16.h>
#include <stdint.h>

#define WARPS 8

__device__ static float
e4m3(uint8_t byte)
{
    int exponent = byte >> 3 & 15, mantissa = byte & 7;

    return exponent ? ldexpf((float)(8 + mantissa), exponent - 10) : ldexpf((float)mantissa, -9);
}

/* Twice the number that a code stands for. */
__device__ static int
doubled(unsigned code)
{
    const unsigned magnitudes = 0xc8643210u; /* 0 1 2 3 4 6 8 12 from the lowest nibble up */
    int magnitude = (int)(magnitudes >> 4 * (code & 7) & 15);

    return code & 8 ? -magnitude : magnitude;
}

__global__ static void
rows(const uint8_t *a, const uint8_t *sfa, const uint8_t *x, const uint8_t *sfx, half *y, int M,
     int blocks)
{
    const int m = (int)(blockIdx.x * WARPS + threadIdx.y);
    const size_t l = blockIdx.y, row = (l * M + m) * blocks;
    double sum = 0;

    if (m >= M)
        return;
    for (int b = (int)threadIdx.x; b < blocks; b += 32) {
        const uint8_t *left = a + 8 * (row + b), *right = x + 8 * (l * blocks + b);
        int quarters = 0;

        for (int j = 0; j < 8; j++)
            quarters += doubled(left[j] & 15u) * doubled(right[j] & 15u) +
                        doubled(left[j] >> 4) * doubled(right[j] >> 4);
        sum += 0.25 * quarters * e4m3(sfa[row + b]) * e4m3(sfx[l * blocks + b]);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0)
        y[l * M + m] = __float2half_rn((float)sum);
}

extern "C" void
solve(const uint8_t *a, const uint8_t *sfa, const uint8_t *x, const uint8_t *sfx, half *y, int M,
      int K, int L)
{
    dim3 grid((unsigned)(M + WARPS - 1) / WARPS, (unsigned)L);

    rows<<<grid, dim3(32, WARPS)>>>(a, sfa, x, sfx, y, M, K / 16);
}
