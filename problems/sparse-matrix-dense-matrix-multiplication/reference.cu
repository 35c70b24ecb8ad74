/* A dense product in double by tiles, rounded once; each thread makes 4 x 4 of a tile. */
#define TILE 64
#define DEPTH 16
#define OWN 4

__global__ static void
product(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[DEPTH][TILE + 1], b[DEPTH][TILE];
    const int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    const int row0 = (int)blockIdx.y * TILE, column0 = (int)blockIdx.x * TILE;
    double sum[OWN][OWN] = {};

    for (int n0 = 0; n0 < N; n0 += DEPTH) {
        for (int e = t; e < TILE * DEPTH; e += 256) {
            int i = row0 + e / DEPTH, n = n0 + e % DEPTH;

            a[e % DEPTH][e / DEPTH] = i < M && n < N ? A[(size_t)i * N + n] : 0.0f;
        }
        for (int e = t; e < TILE * DEPTH; e += 256) {
            int n = n0 + e / TILE, j = column0 + e % TILE;

            b[e / TILE][e % TILE] = n < N && j < K ? B[(size_t)n * K + j] : 0.0f;
        }
        __syncthreads();
        for (int n = 0; n < DEPTH; n++)
            for (int r = 0; r < OWN; r++)
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += (double)a[n][ty + 16 * r] * b[n][tx + 16 * c];
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++)
        for (int c = 0; c < OWN; c++) {
            int i = row0 + ty + 16 * r, j = column0 + tx + 16 * c;

            if (i < M && j < K)
                C[(size_t)i * K + j] = (float)sum[r][c];
        }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, int nnz)
{
    dim3 grid((unsigned)(K + TILE - 1) / TILE, (unsigned)(M + TILE - 1) / TILE);

    product<<<grid, 256>>>(A, B, C, M, N, K);
}
