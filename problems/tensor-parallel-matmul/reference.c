/* Sums in double over both halves, rounded once. */
void
solve(const float *X0, const float *X1, const float *W0, const float *W1, float *Y0,
      float *Y1, int M, int N, int K)
{
    for (long m = 0; m < M; m++)
        for (long n = 0; n < N; n++) {
            double sum = 0;

            for (long k = 0; k < K; k++)
                sum += (double)X0[m * K + k] * W0[k * N + n] +
                       (double)X1[m * K + k] * W1[k * N + n];
            Y0[m * N + n] = (float)sum;
            Y1[m * N + n] = (float)sum;
        }
}
