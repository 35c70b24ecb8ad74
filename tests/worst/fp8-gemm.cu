// warpjudge: fp8-gemm
// A thread for each element, neighbours below each other, which converts every byte by itself.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <stdint.h>

__global__ void
each(const __nv_fp8_e4m3 *A, const __nv_fp8_e4m3 *B, __nv_bfloat16 *C, int M, int N, int K, float scale_a,
     float scale_b)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x, n = blockIdx.y;
    double sum = 0;

    if (m >= M)
        return;
    for (int k = 0; k < K; k++)
        sum += (double)float(A[m * K + k]) * float(B[n * K + k]);
    C[m * N + n] = __float2bfloat16((float)(sum * scale_a * scale_b));
}

extern "C" void
solve(const uint8_t *A, const uint8_t *B, __nv_bfloat16 *C, int M, int N, int K, float scale_a, float scale_b)
{
    each<<<dim3((M + 255) / 256, N), 256>>>((const __nv_fp8_e4m3 *)A, (const __nv_fp8_e4m3 *)B, C, M, N, K,
                                            scale_a, scale_b);
}
