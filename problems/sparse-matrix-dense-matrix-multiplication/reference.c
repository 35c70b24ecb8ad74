/* Sums in double, rounded once; zeros of A are passed over. */
#include <stdlib.h>

void
solve(const float *A, const float *B, float *C, int M, int N, int K, int nnz)
{
    double *row = malloc((size_t)K * sizeof *row);

    (void)nnz;
    if (!row)
        abort();
    for (long i = 0; i < M; i++) {
        for (long j = 0; j < K; j++)
            row[j] = 0;
        for (long n = 0; n < N; n++) {
            double a = A[i * N + n];

            for (long j = 0; a != 0 && j < K; j++)
                row[j] += a * B[n * K + j];
        }
        for (long j = 0; j < K; j++)
            C[i * K + j] = (float)row[j];
    }
    free(row);
}
