/* The sum in double, rounded once. */
void
solve(const float *A, const float *B, float *result, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += (double)A[i] * B[i];
    result[0] = (float)sum;
}
