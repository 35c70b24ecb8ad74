// bug: none
// Tensor cores through shared memory.
#include "planted.h"
#include <cuda_fp16.h>
#include <mma.h>

__global__ void
product(const half *a, const half *b, float *out)
{
    using namespace nvcuda;
    __shared__ half sa[256], sb[256];
    __shared__ float sc[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;

    for (int i = threadIdx.x; i < 256; i += 32) {
        sa[i] = a[i];
        sb[i] = b[i];
    }
    __syncwarp();
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(sc, fc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        out[i] = sc[255 - i];
}

int
main()
{
    product<<<1, 32>>>((half *)zeros<short>(256), (half *)zeros<short>(256), fresh<float>(256));
    return finish();
}
