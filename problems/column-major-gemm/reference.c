/* Each element in double, rounded once; op() is a pair of strides. Column by column of C,
 * whose sums are kept while the columns of op(A) go by. */
#include <stdlib.h>

void
solve(const float *A, const float *B, float *C, int M, int N, int K, int lda, int ldb,
      int ldc, int transA, int transB, float alpha, float beta)
{
    const long a_row = transA ? lda : 1, a_column = transA ? 1 : lda;
    const long b_row = transB ? ldb : 1, b_column = transB ? 1 : ldb;
    double *sum = malloc((size_t)M * sizeof *sum);

    if (sum == NULL)
        abort();
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
