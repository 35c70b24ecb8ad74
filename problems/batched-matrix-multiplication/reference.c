/* Each element summed in double and rounded once. By rows of B, so that the sums stay in
 * the cache. */
#define WIDTH_MAX 1024

void
solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
    double sum[WIDTH_MAX];

    for (long row = 0; row < (long)BATCH * M; row++) {
        const float *right = B + row / M * K * N;

        for (int j = 0; j < N; j++)
            sum[j] = 0;
        for (long t = 0; t < K; t++) {
            const double a = A[row * K + t];

            for (int j = 0; j < N; j++)
                sum[j] += a * right[t * N + j];
        }
        for (int j = 0; j < N; j++)
            C[row * N + j] = (float)sum[j];
    }
}
