/* Sums in double, rounded once. */
void
solve(const float *A, const float *x, float *y, int M, int N, int nnz)
{
    (void)nnz;
    for (long i = 0; i < M; i++) {
        double sum = 0;

        for (long j = 0; j < N; j++)
            sum += (double)A[i * N + j] * x[j];
        y[i] = (float)sum;
    }
}
