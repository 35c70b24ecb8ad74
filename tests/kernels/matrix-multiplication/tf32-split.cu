// warpjudge: matrix-multiplication
// expect: accepted
// expect-cuda: wrong_answer
// Tensor cores at nearly full precision: each factor is a sum of two tf32 numbers. On a GPU the
// benchmark's 6144 terms go through the tensor cores' truncating sums, and miss the tolerance.
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;
__global__ void
mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(32) float sa[16 * 8], sb[8 * 16], sc[16 * 16];
    int r0 = blockIdx.y * 16, c0 = blockIdx.x * 16, lane = threadIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ah,
        al;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> bh,
        bl;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k0 = 0; k0 < N; k0 += 8) {
        for (int i = lane; i < 128; i += 32) {
            int r = i / 8, k = i % 8;
            sa[i] = (r0 + r < M && k0 + k < N) ? A[(r0 + r) * N + k0 + k] : 0;
            int kk = i / 16, c = i % 16;
            sb[i] = (c0 + c < K && k0 + kk < N) ? B[(k0 + kk) * K + c0 + c] : 0;
        }
        __syncwarp();
        wmma::load_matrix_sync(ah, sa, 8);
        wmma::load_matrix_sync(bh, sb, 16);
        for (int i = 0; i < ah.num_elements; i++) {
            float v = ah.x[i];
            ah.x[i] = wmma::__float_to_tf32(v);
            al.x[i] = wmma::__float_to_tf32(v - ah.x[i]);
        }
        for (int i = 0; i < bh.num_elements; i++) {
            float v = bh.x[i];
            bh.x[i] = wmma::__float_to_tf32(v);
            bl.x[i] = wmma::__float_to_tf32(v - bh.x[i]);
        }
        wmma::mma_sync(acc, al, bh, acc);
        wmma::mma_sync(acc, ah, bl, acc);
        wmma::mma_sync(acc, ah, bh, acc);
        __syncwarp();
    }
    wmma::store_matrix_sync(sc, acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
        int r = r0 + i / 16, c = c0 + i % 16;
        if (r < M && c < K)
            C[r * K + c] = sc[i];
    }
}
extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    mm<<<dim3((K + 15) / 16, (M + 15) / 16), 32>>>(A, B, C, M, N, K);
}
