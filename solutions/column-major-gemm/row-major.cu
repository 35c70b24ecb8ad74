// warpjudge: column-major-gemm
// expect: wrong_answer
// Leading dimensions and transposes are right, but rows are taken for what is contiguous.
#include <cuda_runtime.h>

__global__ void
gemm(const float *A, const float *B, float *C, int M, int N, int K, int a_row, int a_column,
     int b_row, int b_column, int size_a, int size_b, int size_c, int ldc, float alpha,
     float beta)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j < N) {
        int at = min(i * ldc + j, size_c - 1);
        float sum = 0.0f, old = 0.0f;

        for (int k = 0; k < K; k++)
            sum += A[min(i * a_row + k * a_column, size_a - 1)] *
                   B[min(k * b_row + j * b_column, size_b - 1)];
        if (beta != 0.0f)
            old = C[at];
        C[at] = alpha * sum + beta * old;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, int lda, int ldb, int ldc,
      int transA, int transB, float alpha, float beta)
{
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16);

    gemm<<<grid, block>>>(A, B, C, M, N, K, transA ? 1 : lda, transA ? lda : 1,
                          transB ? 1 : ldb, transB ? ldb : 1, lda * (transA ? M : K),
                          ldb * (transB ? K : N), ldc * N, ldc, alpha, beta);
}
