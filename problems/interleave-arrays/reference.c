/* A copy. */
void
solve(const float *A, const float *B, float *output, int N)
{
    for (int i = 0; i < N; i++) {
        output[2 * i] = A[i];
        output[2 * i + 1] = B[i];
    }
}
