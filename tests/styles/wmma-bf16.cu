// warpjudge: bf16-matmul
// nvcuda::wmma on bf16 tiles that are staged in shared memory with zeros around the matrices.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void product(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    __shared__ __nv_bfloat16 a[16 * 16], b[16 * 16];
    __shared__ float c[16 * 16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    const int row = blockIdx.y * 16, col = blockIdx.x * 16;

    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < K; k += 16) {
        for (int e = threadIdx.x; e < 256; e += 32) {
            const int i = e / 16, j = e % 16;
            a[e] = row + i < M && k + j < K ? A[(size_t)(row + i) * K + k + j] : __float2bfloat16(0.0f);
            b[e] = k + i < K && col + j < N ? B[(size_t)(k + i) * N + col + j] : __float2bfloat16(0.0f);
        }
        __syncwarp();
        wmma::load_matrix_sync(fa, a, 16);
        wmma::load_matrix_sync(fb, b, 16);
        wmma::mma_sync(fc, fa, fb, fc);
        __syncwarp();
    }
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x; e < 256; e += 32)
        if (row + e / 16 < M && col + e % 16 < N)
            C[(size_t)(row + e / 16) * N + col + e % 16] = c[e];
}

extern "C" void
solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    product<<<dim3((N + 15) / 16, (M + 15) / 16), 32>>>(A, B, C, M, N, K);
}
