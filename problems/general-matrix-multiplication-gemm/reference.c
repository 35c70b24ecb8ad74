/* In double, rounded once. By rows of B, a strip of columns at a time, so that the sums
 * stay in the cache. */
#define STRIP 256

void
solve(const __half *A, const __half *B, __half *C, int M, int N, int K, float alpha,
      float beta)
{
    double sum[STRIP];

    for (long i = 0; i < M; i++) {
        for (int first = 0; first < N; first += STRIP) {
            int width = N - first < STRIP ? N - first : STRIP;
            __half *out = C + i * N + first;

            for (int j = 0; j < width; j++)
                sum[j] = 0;
            for (long t = 0; t < K; t++) {
                const double a = (double)A[i * K + t];
                const __half *row = B + t * N + first;

                for (int j = 0; j < width; j++)
                    sum[j] += a * (double)row[j];
            }
            for (int j = 0; j < width; j++)
                out[j] = (__half)((double)alpha * sum[j] + (double)beta * (double)out[j]);
        }
    }
}
