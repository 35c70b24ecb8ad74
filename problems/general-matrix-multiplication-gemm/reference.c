/* In double, rounded once. Strips of 8 rows by 256 columns, whose sums stay in the cache:
 * turning halves into doubles takes longer than a product, and is done once for 8 rows.
 */
#define ROWS 8
#define STRIP 256

/* Columns first .. first+width-1 of the rows at A and C. */
static void
multiply_strip(const __half *A, const __half *B, __half *C, int rows, int first,
               int width, int N, int K, double alpha, double beta)
{
    double sum[ROWS][STRIP] = {{0}}, b[STRIP];

    for (long t = 0; t < K; t++) {
        for (int j = 0; j < width; j++)
            b[j] = (double)B[t * N + first + j];
        for (int i = 0; i < rows; i++) {
            const double a = (double)A[(long)i * K + t];

            for (int j = 0; j < width; j++)
                sum[i][j] += a * b[j];
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) {
            __half *to = C + (long)i * N + first + j;

            *to = (__half)(alpha * sum[i][j] + beta * (double)*to);
        }
}

void
solve(const __half *A, const __half *B, __half *C, int M, int N, int K, float alpha,
      float beta)
{
    for (long i = 0; i < M; i += ROWS)
        for (int first = 0; first < N; first += STRIP)
            multiply_strip(A + i * K, B, C + i * N, M - i < ROWS ? (int)(M - i) : ROWS,
                           first, N - first < STRIP ? N - first : STRIP, N, K, alpha,
                           beta);
}
