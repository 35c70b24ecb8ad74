/* The smaller of the two heads, again and again. */
void
solve(const float *A, const float *B, float *C, int M, int N)
{
    int i = 0, j = 0;

    while (i < M || j < N)
        if (j == N || (i < M && A[i] <= B[j])) {
            C[i + j] = A[i];
            i++;
        } else {
            C[i + j] = B[j];
            j++;
        }
}
