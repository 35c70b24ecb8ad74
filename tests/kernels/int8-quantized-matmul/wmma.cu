// warpjudge: int8-quantized-matmul
// expect: accepted
// The 8-bit integer tensor cores.
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>
using namespace nvcuda::wmma;
__global__ void
qmm(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float sA, float sB,
    float sC, int zA, int zB, int zC)
{
    __shared__ __align__(32) signed char a[256], b[256];
    __shared__ __align__(32) int acc[256];
    __shared__ int ra[16], cb[16];
    int r0 = blockIdx.y * 16, c0 = blockIdx.x * 16, l = threadIdx.x;
    if (l < 16)
        ra[l] = cb[l] = 0;
    fragment<matrix_a, 16, 16, 16, signed char, row_major> fa;
    fragment<matrix_b, 16, 16, 16, signed char, row_major> fb;
    fragment<accumulator, 16, 16, 16, int> fc;
    fill_fragment(fc, 0);
    for (int k0 = 0; k0 < K; k0 += 16) {
        __syncwarp();
        for (int i = l; i < 256; i += 32) {
            int y = i >> 4, x = i & 15;
            a[i] = r0 + y < M && k0 + x < K ? A[(r0 + y) * K + k0 + x] : 0;
            b[i] = k0 + y < K && c0 + x < N ? B[(k0 + y) * N + c0 + x] : 0;
        }
        __syncwarp();
        if (l < 16)
            for (int k = 0; k < 16; k++) {
                ra[l] += a[l * 16 + k];
                cb[l] += b[k * 16 + l];
            }
        load_matrix_sync(fa, a, 16);
        load_matrix_sync(fb, b, 16);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(acc, fc, 16, mem_row_major);
    __syncwarp();
    for (int i = l; i < 256; i += 32) {
        int y = i >> 4, x = i & 15;
        if (r0 + y < M && c0 + x < N) {
            int t = acc[i] - zB * ra[y] - zA * cb[x] + K * zA * zB;
            int q = __float2int_rn(t * sA * sB / sC) + zC;
            C[(r0 + y) * N + c0 + x] = (int8_t)(q > 127 ? 127 : q < -128 ? -128 : q);
        }
    }
}
extern "C" void
solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float sA,
      float sB, float sC, int zA, int zB, int zC)
{
    qmm<<<dim3((N + 15) / 16, (M + 15) / 16), 32>>>(A, B, C, M, N, K, sA, sB, sC, zA, zB,
                                                    zC);
}
