// warpjudge: general-matrix-multiplication-gemm
// cuda::std::mdspan views of half matrices, and half operators.
#include <cuda/std/mdspan>
#include <cuda_fp16.h>

template <typename T> using Matrix = cuda::std::mdspan<T, cuda::std::dextents<int, 2>>;

__global__ void gemm(Matrix<const half> A, Matrix<const half> B, Matrix<half> C, float alpha, float beta)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= C.extent(0) || j >= C.extent(1))
        return;
    float sum = 0;
    for (int k = 0; k < A.extent(1); ++k)
        sum += float(A(i, k)) * float(B(k, j));
    C(i, j) = half(alpha * sum + beta * float(C(i, j)));
}

extern "C" void
solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    const dim3 block(32, 4), grid((N + 31) / 32, (M + 3) / 4);
    gemm<<<grid, block>>>(Matrix<const half>(A, M, K), Matrix<const half>(B, K, N), Matrix<half>(C, M, N), alpha, beta);
}
