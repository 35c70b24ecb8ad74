/* Each sum in double, rounded once. */
void
solve(const float *A, const float *x, float *y, int M, int N)
{
    for (long m = 0; m < M; m++) {
        double sum = 0;

        for (long n = 0; n < N; n++)
            sum += (double)A[m * N + n] * x[n];
        y[m] = (float)sum;
    }
}
