/*
 * alpha A B + beta C, in double, rounded once.
 *
 * A block of 16 x 16 threads makes a tile of 128 x 64, each thread 8 x 4 of it in
 * registers. The slices become doubles when they are stored in shared memory; the next
 * ones are fetched while these are multiplied.
 */
#include <cuda_fp16.h>

#define TILE_ROWS 128
#define TILE_COLUMNS 64
#define DEPTH 8 /* of the inner dimension at a time */
#define OWN_ROWS 8
#define OWN_COLUMNS 4
#define THREADS 256
#define FETCH_A (TILE_ROWS * DEPTH / THREADS) /* elements that each thread fetches */
#define FETCH_B (TILE_COLUMNS * DEPTH / THREADS)

__global__ static void __launch_bounds__(THREADS, 2)
multiply(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C,
         int M, int N, int K, float alpha, float beta)
{
    /* a is transposed; 2: spreads the stores over banks */
    __shared__ double a[DEPTH][TILE_ROWS + 2];
    __shared__ double b[DEPTH][TILE_COLUMNS + 2];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE_ROWS,
              column0 = (int)blockIdx.x * TILE_COLUMNS;
    double sum[OWN_ROWS][OWN_COLUMNS] = {};
    half next_a[FETCH_A], next_b[FETCH_B];

    auto fetch = [&](int t0) {
        for (int k = 0; k < FETCH_A; k++) {
            int e = thread + THREADS * k, row = row0 + e / DEPTH, t = t0 + e % DEPTH;

            next_a[k] = row < M && t < K ? A[(size_t)row * K + t] : half(0.0f);
        }
        for (int k = 0; k < FETCH_B; k++) {
            int e = thread + THREADS * k, t = t0 + e / TILE_COLUMNS,
                column = column0 + e % TILE_COLUMNS;

            next_b[k] = t < K && column < N ? B[(size_t)t * N + column] : half(0.0f);
        }
    };

    fetch(0);
    for (int t0 = 0; t0 < K; t0 += DEPTH) {
        for (int k = 0; k < FETCH_A; k++) {
            int e = thread + THREADS * k;

            a[e % DEPTH][e / DEPTH] = (double)__half2float(next_a[k]);
        }
        for (int k = 0; k < FETCH_B; k++) {
            int e = thread + THREADS * k;

            b[e / TILE_COLUMNS][e % TILE_COLUMNS] = (double)__half2float(next_b[k]);
        }
        __syncthreads();
        fetch(t0 + DEPTH); /* beyond the end: zeros that nobody uses */
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            double x[OWN_ROWS], y[OWN_COLUMNS];

#pragma unroll
            for (int r = 0; r < OWN_ROWS; r++)
                x[r] = a[t][ty * OWN_ROWS + r];
#pragma unroll
            for (int c = 0; c < OWN_COLUMNS; c++)
                y[c] = b[t][tx + 16 * c];
#pragma unroll
            for (int r = 0; r < OWN_ROWS; r++)
#pragma unroll
                for (int c = 0; c < OWN_COLUMNS; c++)
                    sum[r][c] += x[r] * y[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN_ROWS; r++) {
        int row = row0 + ty * OWN_ROWS + r;

        for (int c = 0; c < OWN_COLUMNS; c++) {
            int column = column0 + tx + 16 * c;

            if (row < M && column < N) {
                half *out = C + (size_t)row * N + column;

                *out =
                    __double2half(alpha * sum[r][c] + beta * (double)__half2float(*out));
            }
        }
    }
}

extern "C" void
solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    dim3 grid((unsigned)(N + TILE_COLUMNS - 1) / TILE_COLUMNS,
              (unsigned)(M + TILE_ROWS - 1) / TILE_ROWS);

    multiply<<<grid, THREADS>>>(A, B, C, M, N, K, alpha, beta);
}
