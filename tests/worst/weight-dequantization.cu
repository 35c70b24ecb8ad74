// warpjudge: weight-dequantization
// One thread does everything.
__global__ void
serial(const float *X, const float *S, float *Y, int M, int N, int TILE_SIZE)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            Y[i * N + j] = X[i * N + j] * S[i / TILE_SIZE * ((N + TILE_SIZE - 1) / TILE_SIZE) + j / TILE_SIZE];
    }
}

extern "C" void
solve(const float *X, const float *S, float *Y, int M, int N, int TILE_SIZE)
{
    serial<<<1, 1>>>(X, S, Y, M, N, TILE_SIZE);
}
