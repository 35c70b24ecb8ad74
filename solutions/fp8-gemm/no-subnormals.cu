// warpjudge: fp8-gemm
// expect: wrong_answer
// The fields are put together by hand, and bytes with the exponent 0 are taken for normal numbers.
#include <cuda_bf16.h>
#include <stdint.h>

#define TILE 16

__device__ float
decode(uint8_t byte)
{
    float magnitude = ldexpf(8.0f + (byte & 7), (byte >> 3 & 15) - 10);

    return byte & 0x80 ? -magnitude : magnitude;
}

__global__ void
product(const uint8_t *A, const uint8_t *B, __nv_bfloat16 *C, int M, int N, int K, float scale)
{
    __shared__ float a[TILE][TILE + 1], b[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * TILE + ty, n = blockIdx.x * TILE + tx, row = blockIdx.x * TILE + ty;
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        int k = k0 + tx;

        a[ty][tx] = m < M && k < K ? decode(A[(size_t)m * K + k]) : 0.0f;
        b[ty][tx] = row < N && k < K ? decode(B[(size_t)row * K + k]) : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[ty][i] * b[tx][i];
        __syncthreads();
    }
    if (m < M && n < N)
        C[(size_t)m * N + n] = __float2bfloat16(scale * sum);
}

extern "C" void
solve(const uint8_t *A, const uint8_t *B, __nv_bfloat16 *C, int M, int N, int K, float scale_a,
      float scale_b)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    product<<<grid, dim3(TILE, TILE)>>>(A, B, C, M, N, K, scale_a * scale_b);
}
