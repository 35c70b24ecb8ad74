// warpjudge: column-major-gemm
// expect: wrong_answer
// Takes the number of rows for the leading dimension: right only where there is no padding.
#include <cuda_runtime.h>

__global__ void
gemm(const float *A, const float *B, float *C, int M, int N, int K, int a_row, int a_column,
     int b_row, int b_column, float alpha, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j < N) {
        float sum = 0.0f, old = 0.0f;

        for (int k = 0; k < K; k++)
            sum += A[i * a_row + k * a_column] * B[k * b_row + j * b_column];
        if (beta != 0.0f)
            old = C[j * M + i];
        C[j * M + i] = alpha * sum + beta * old;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, int lda, int ldb, int ldc,
      int transA, int transB, float alpha, float beta)
{
    dim3 block(16, 16);
    dim3 grid((M + 15) / 16, (N + 15) / 16);

    gemm<<<grid, block>>>(A, B, C, M, N, K, transA ? K : 1, transA ? 1 : M, transB ? N : 1,
                          transB ? 1 : K, alpha, beta);
}
