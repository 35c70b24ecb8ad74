// warpjudge: column-major-gemm
// expect: accepted
// One thread for each element of C, neighbours in a column for neighbouring threads. A
// transpose only exchanges the two strides.
#include <cuda_runtime.h>

__global__ void
gemm(const float *A, const float *B, float *C, int M, int N, int K, int a_row, int a_column,
     int b_row, int b_column, int ldc, float alpha, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j < N) {
        float sum = 0.0f, old = 0.0f;

        for (int k = 0; k < K; k++)
            sum += A[i * a_row + k * a_column] * B[k * b_row + j * b_column];
        if (beta != 0.0f)
            old = C[j * ldc + i];
        C[j * ldc + i] = alpha * sum + beta * old;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, int lda, int ldb, int ldc,
      int transA, int transB, float alpha, float beta)
{
    dim3 block(16, 16);
    dim3 grid((M + 15) / 16, (N + 15) / 16);

    gemm<<<grid, block>>>(A, B, C, M, N, K, transA ? lda : 1, transA ? 1 : lda,
                          transB ? ldb : 1, transB ? 1 : ldb, ldc, alpha, beta);
    cudaDeviceSynchronize();
}
