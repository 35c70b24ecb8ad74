/* Sums in double, rounded once to half. By rows of B, so that the inner loop runs along
 * memory. */
#define COLUMNS_MAX 1024

void
solve(const _Float16 *A, const _Float16 *B, _Float16 *C, int BATCH, int M, int N, int K)
{
    double sum[COLUMNS_MAX], row[COLUMNS_MAX];

    for (long b = 0; b < BATCH; b++) {
        for (long i = 0; i < M; i++) {
            for (int j = 0; j < N; j++)
                sum[j] = 0;
            for (long k = 0; k < K; k++) {
                const double a = (double)A[(b * M + i) * K + k];

                for (int j = 0; j < N; j++)
                    row[j] = (double)B[(b * K + k) * N + j];
                for (int j = 0; j < N; j++)
                    sum[j] += a * row[j];
            }
            for (int j = 0; j < N; j++)
                C[(b * M + i) * N + j] = (_Float16)sum[j];
        }
    }
}
