// warpjudge: fp8-gemm
// expect: accepted
// idea: Ordinary multiplications need floats, so that eight-bit numbers must be decoded first.
//   Decode them once on the way into tiles in shared memory, and give each element of the result a
//   thread.
// Tiles of 16 x 16 in shared memory, decoded to floats as they are loaded.
// H200: 346 ms
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#define TILE 16

__device__ float
decode(uint8_t byte)
{
    return __half2float(__nv_cvt_fp8_to_halfraw(byte, __NV_E4M3));
}

__global__ void
product(const uint8_t *A, const uint8_t *B, __nv_bfloat16 *C, int M, int N, int K,
        float scale)
{
    __shared__ float a[TILE][TILE + 1], b[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * TILE + ty, n = blockIdx.x * TILE + tx,
        row = blockIdx.x * TILE + ty;
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
solve(const uint8_t *A, const uint8_t *B, __nv_bfloat16 *C, int M, int N, int K,
      float scale_a, float scale_b)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    product<<<grid, dim3(TILE, TILE)>>>(A, B, C, M, N, K, scale_a * scale_b);
}
