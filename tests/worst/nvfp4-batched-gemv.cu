// warpjudge: nvfp4-batched-gemv
// One thread does everything, in double.
#include <cuda_fp16.h>
#include <stdint.h>

__device__ double
e4m3(uint8_t byte)
{
    int exponent = byte >> 3 & 15, mantissa = byte & 7;

    return exponent ? ldexp(8 + mantissa, exponent - 10) : ldexp(mantissa, -9);
}

/* The sum over one scale block: 8 bytes of two codes each. */
__device__ double
block(const uint8_t *a, const uint8_t *x)
{
    const double value[16] = {0,   0.5,  1,  1.5,  2,  3,  4,  6,
                                     -0., -0.5, -1, -1.5, -2, -3, -4, -6};
    double sum = 0;

    for (int j = 0; j < 8; j++)
        sum += value[a[j] & 15] * value[x[j] & 15] + value[a[j] >> 4] * value[x[j] >> 4];
    return sum;
}

__global__ void
serial(const uint8_t *a, const uint8_t *sfa, const uint8_t *x, const uint8_t *sfx, __half *y,
       int M, int K, int L)
{
    long blocks = K / 16;

    for (long l = 0; l < L; l++)
        for (long m = 0; m < M; m++) {
            long row = (l * M + m) * blocks;
            double sum = 0;

            for (long b = 0; b < blocks; b++)
                sum += e4m3(sfa[row + b]) * e4m3(sfx[l * blocks + b]) *
                       block(a + 8 * (row + b), x + 8 * (l * blocks + b));
            y[l * M + m] = (__half)(float)sum;
        }
}

extern "C" void
solve(const uint8_t *a, const uint8_t *sfa, const uint8_t *x, const uint8_t *sfx, __half *y,
      int M, int K, int L)
{
    serial<<<1, 1>>>(a, sfa, x, sfx, y, M, K, L);
}
