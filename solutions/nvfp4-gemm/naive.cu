// warpjudge: nvfp4-gemm
// expect: accepted
// Tiles of 16 x 16, one scale block deep, decoded to floats as they are loaded.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#define TILE 16

__constant__ float magnitude[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};

// Element k of a row: its code times its block's scale.
__device__ float
decode(const uint8_t *codes, const uint8_t *scales, size_t row, int k, int K)
{
    unsigned pair = codes[row * (K / 2) + k / 2], code = k % 2 ? pair >> 4 : pair & 15;
    float scale = __half2float(__nv_cvt_fp8_to_halfraw(scales[row * (K / 16) + k / 16], __NV_E4M3));

    return (code & 8 ? -magnitude[code & 7] : magnitude[code]) * scale;
}

__global__ void
product(const uint8_t *a, const uint8_t *b, const uint8_t *sfa, const uint8_t *sfb, half *c, int M,
        int N, int K, float alpha)
{
    __shared__ float x[TILE][TILE + 1], y[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * TILE + ty, n = blockIdx.x * TILE + tx, row = blockIdx.x * TILE + ty;
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        x[ty][tx] = m < M ? decode(a, sfa, m, k0 + tx, K) : 0.0f;
        y[ty][tx] = row < N ? decode(b, sfb, row, k0 + tx, K) : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += x[ty][i] * y[tx][i];
        __syncthreads();
    }
    if (m < M && n < N)
        c[(size_t)m * N + n] = __float2half(alpha * sum);
}

extern "C" void
solve(const uint8_t *a, const uint8_t *b, const uint8_t *sfa, const uint8_t *sfb, half *c, int M,
      int N, int K, float alpha)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    product<<<grid, dim3(TILE, TILE)>>>(a, b, sfa, sfb, c, M, N, K, alpha);
}
