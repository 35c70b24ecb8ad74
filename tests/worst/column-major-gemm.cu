// warpjudge: column-major-gemm
// One thread does everything, in double.
__global__ void
serial(const float *A, const float *B, float *C, int M, int N, int K, int lda, int ldb, int ldc,
       int transA, int transB, float alpha, float beta)
{
    const long a_row = transA ? lda : 1, a_column = transA ? 1 : lda;
    const long b_row = transB ? ldb : 1, b_column = transB ? 1 : ldb;
    double *sum = (double *)malloc((size_t)M * sizeof *sum);

    if (sum == NULL)
        __trap();
    for (long j = 0; j < N; j++) {
        for (long i = 0; i < M; i++)
            sum[i] = 0;
        for (long k = 0; k < K; k++) {
            const double b = B[k * b_row + j * b_column];

            for (long i = 0; i < M; i++)
                sum[i] += A[i * a_row + k * a_column] * b;
        }
        for (long i = 0; i < M; i++) {
            float *out = &C[j * ldc + i];

            *out =
                (float)((double)alpha * sum[i] + (beta == 0 ? 0 : (double)beta * *out));
        }
    }
    free(sum);
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, int lda, int ldb, int ldc,
      int transA, int transB, float alpha, float beta)
{
    serial<<<1, 1>>>(A, B, C, M, N, K, lda, ldb, ldc, transA, transB, alpha, beta);
}
