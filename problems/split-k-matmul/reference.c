/* Each element in double, rounded once. */
void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    double sum[64];

    for (long i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            sum[j] = 0;
        for (long k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                sum[j] += (double)A[i * K + k] * B[k * N + j];
        for (int j = 0; j < N; j++)
            C[i * N + j] = (float)sum[j];
    }
}
