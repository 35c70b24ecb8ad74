/* C = A + B: one correctly rounded float addition, so the answer is exact. */
void
solve(const float *A, const float *B, float *C, int N)
{
    for (long i = 0; i < (long)N * N; i++)
        C[i] = A[i] + B[i];
}
