/* What is kept, in order, then zeros. */
void
solve(const float *A, int N, float *out)
{
    int kept = 0;

    for (int i = 0; i < N; i++)
        if (A[i] > 0)
            out[kept++] = A[i];
    while (kept < N)
        out[kept++] = 0;
}
