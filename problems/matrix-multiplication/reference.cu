/*
 * C = A B, each element summed in double and rounded once.
 *
 * A block of 16 x 16 threads makes a tile of 128 x 64, each thread 8 x 4 of it in registers.
 * The slices of A and B become doubles when they are stored in shared memory: a conversion
 * per use would cost more than the multiplications. The next slices are fetched while these
 * are multiplied.
 */
#define TILE_M 128
#define TILE_K 64
#define DEPTH 8 /* of the inner dimension at a time */
#define OWN_M 8
#define OWN_K 4
#define THREADS 256
#define FETCH_A (TILE_M * DEPTH / THREADS) /* elements that each thread fetches */
#define FETCH_B (TILE_K * DEPTH / THREADS)

__global__ static void __launch_bounds__(THREADS, 2)
multiply(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
         int M, int N, int K)
{
    __shared__ double a[DEPTH][TILE_M + 2]; /* transposed; 2: spreads the stores over banks */
    __shared__ double b[DEPTH][TILE_K];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE_M, column0 = (int)blockIdx.x * TILE_K;
    double sum[OWN_M][OWN_K] = {};
    float next_a[FETCH_A], next_b[FETCH_B];

    auto fetch = [&](int t0) {
        for (int k = 0; k < FETCH_A; k++) {
            int e = thread + THREADS * k, row = row0 + e / DEPTH, t = t0 + e % DEPTH;

            next_a[k] = row < M && t < N ? A[(size_t)row * N + t] : 0.0f;
        }
        for (int k = 0; k < FETCH_B; k++) {
            int e = thread + THREADS * k, t = t0 + e / TILE_K, column = column0 + e % TILE_K;

            next_b[k] = t < N && column < K ? B[(size_t)t * K + column] : 0.0f;
        }
    };

    fetch(0);
    for (int t0 = 0; t0 < N; t0 += DEPTH) {
        for (int k = 0; k < FETCH_A; k++) {
            int e = thread + THREADS * k;

            a[e % DEPTH][e / DEPTH] = (double)next_a[k];
        }
        for (int k = 0; k < FETCH_B; k++) {
            int e = thread + THREADS * k;

            b[e / TILE_K][e % TILE_K] = (double)next_b[k];
        }
        __syncthreads();
        fetch(t0 + DEPTH); /* beyond the end: zeros that nobody uses */
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            double x[OWN_M], y[OWN_K];

#pragma unroll
            for (int r = 0; r < OWN_M; r++)
                x[r] = a[t][ty * OWN_M + r];
#pragma unroll
            for (int c = 0; c < OWN_K; c++)
                y[c] = b[t][tx + 16 * c];
#pragma unroll
            for (int r = 0; r < OWN_M; r++)
#pragma unroll
                for (int c = 0; c < OWN_K; c++)
                    sum[r][c] += x[r] * y[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN_M; r++) {
        int row = row0 + ty * OWN_M + r;

        for (int c = 0; c < OWN_K; c++) {
            int column = column0 + tx + 16 * c;

            if (row < M && column < K)
                C[(size_t)row * K + column] = (float)sum[r][c];
        }
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 grid((unsigned)(K + TILE_K - 1) / TILE_K, (unsigned)(M + TILE_M - 1) / TILE_M);

    multiply<<<grid, THREADS>>>(A, B, C, M, N, K);
}
