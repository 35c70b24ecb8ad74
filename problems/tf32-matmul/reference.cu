/*
 * C = A B, each element summed in double and rounded once.
 *
 * A block of 16 x 16 threads makes a tile of 128 x 64, each thread 8 x 4 of it in registers.
 * The slices of A and B become doubles when they are stored in shared memory.
 */
#define TILE_M 128
#define TILE_N 64
#define DEPTH 8 /* of the inner dimension at a time */
#define OWN_M 8
#define OWN_N 4
#define THREADS 256

__global__ static void __launch_bounds__(THREADS, 2)
multiply(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
         int M, int N, int K)
{
    __shared__ double a[DEPTH][TILE_M + 2]; /* transposed; 2: spreads the stores over banks */
    __shared__ double b[DEPTH][TILE_N];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE_M, column0 = (int)blockIdx.x * TILE_N;
    double sum[OWN_M][OWN_N] = {};

    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int e = thread; e < TILE_M * DEPTH; e += THREADS) {
            int row = row0 + e / DEPTH, k = k0 + e % DEPTH;

            a[e % DEPTH][e / DEPTH] = row < M && k < K ? A[(size_t)row * K + k] : 0.0f;
        }
        for (int e = thread; e < TILE_N * DEPTH; e += THREADS) {
            int k = k0 + e / TILE_N, column = column0 + e % TILE_N;

            b[e / TILE_N][e % TILE_N] = k < K && column < N ? B[(size_t)k * N + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            double x[OWN_M], y[OWN_N];

            for (int r = 0; r < OWN_M; r++)
                x[r] = a[k][ty * OWN_M + r];
            for (int c = 0; c < OWN_N; c++)
                y[c] = b[k][tx + 16 * c];
            for (int r = 0; r < OWN_M; r++)
                for (int c = 0; c < OWN_N; c++)
                    sum[r][c] += x[r] * y[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN_M; r++) {
        int row = row0 + ty * OWN_M + r;

        for (int c = 0; c < OWN_N; c++) {
            int column = column0 + tx + 16 * c;

            if (row < M && column < N)
                C[(size_t)row * N + column] = (float)sum[r][c];
        }
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 grid((unsigned)(N + TILE_N - 1) / TILE_N, (unsigned)(M + TILE_M - 1) / TILE_M);

    multiply<<<grid, THREADS>>>(A, B, C, M, N, K);
}
