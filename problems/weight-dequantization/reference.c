/* One product an element, rounded once. */
void
solve(const float *X, const float *S, float *Y, int M, int N, int TILE_SIZE)
{
    long columns = (N + TILE_SIZE - 1) / TILE_SIZE;

    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++)
            Y[i * N + j] = X[i * N + j] * S[i / TILE_SIZE * columns + j / TILE_SIZE];
}
