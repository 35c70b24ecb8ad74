/* The sum in double, rounded once to half. */
void
solve(const _Float16 *A, const _Float16 *B, _Float16 *result, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += (double)A[i] * (double)B[i];
    result[0] = (_Float16)sum;
}
