/* Sums in double, rounded once. */
void
solve(const float *A, const float *B, float *C, int batch, int M, int N, int K)
{
    for (long r = 0; r < (long)batch * M; r++)
        for (long n = 0; n < N; n++) {
            double sum = 0;

            for (long k = 0; k < K; k++)
                sum += (double)A[r * K + k] * B[k * N + n];
            C[r * N + n] = (float)sum;
        }
}
