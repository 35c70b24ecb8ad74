/*
 * alpha A B + beta C, in double, rounded once.
 *
 * A block of eight warps makes a tile of 128 x 64, each warp 32 x 32 of it with the tensor
 * cores' mma of doubles, which rounds as fused multiply-adds do. The slices become doubles
 * when they are stored in shared memory; the next ones are fetched while these are
 * multiplied. What lies outside the matrices counts as 0.
 */
#include <cuda_fp16.h>

#define TILE_ROWS 128
#define TILE_COLUMNS 64
#define DEPTH 16 /* of the inner dimension at a time */
#define OWN 32   /* rows and columns of a warp's tile */
#define PARTS (OWN / 8)
#define THREADS 256
#define FETCH_A (TILE_ROWS * DEPTH / THREADS) /* elements that each thread fetches */
#define FETCH_B (TILE_COLUMNS * DEPTH / THREADS)

/* sum (8 x 8) += x (8 x 4) y (4 x 8). Lane l has x[l / 4][l % 4] and y[l % 4][l / 4], and of
 * row l / 4 of the sum the columns 2 (l % 4) and the next. */
__device__ static void
multiply_add(double sum[2], double x, double y)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(x), "d"(y));
}

__global__ static void __launch_bounds__(THREADS, 2)
multiply(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C,
         int M, int N, int K, float alpha, float beta)
{
    /* 4: a warp reads four neighbours of a row and eight rows, or the other way round, and
     * each half of it has banks of its own */
    __shared__ double a[TILE_ROWS][DEPTH + 4];
    __shared__ double b[DEPTH][TILE_COLUMNS + 4];
    const int thread = (int)threadIdx.x, warp = thread / 32, lane = thread % 32;
    const int row0 = (int)blockIdx.y * TILE_ROWS,
              column0 = (int)blockIdx.x * TILE_COLUMNS;
    const int own_row = warp / 2 * OWN, own_column = warp % 2 * OWN;
    double sum[PARTS][PARTS][2] = {};
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

            a[e / DEPTH][e % DEPTH] = (double)__half2float(next_a[k]);
        }
        for (int k = 0; k < FETCH_B; k++) {
            int e = thread + THREADS * k;

            b[e / TILE_COLUMNS][e % TILE_COLUMNS] = (double)__half2float(next_b[k]);
        }
        __syncthreads();
        fetch(t0 + DEPTH); /* beyond the end: zeros that nobody uses */
#pragma unroll
        for (int t = 0; t < DEPTH; t += 4) {
            double x[PARTS], y[PARTS];

#pragma unroll
            for (int p = 0; p < PARTS; p++) {
                x[p] = a[own_row + 8 * p + lane / 4][t + lane % 4];
                y[p] = b[t + lane % 4][own_column + 8 * p + lane / 4];
            }
#pragma unroll
            for (int r = 0; r < PARTS; r++)
#pragma unroll
                for (int c = 0; c < PARTS; c++)
                    multiply_add(sum[r][c], x[r], y[c]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < PARTS * PARTS * 2; k++) {
        int r = k / (2 * PARTS), c = k / 2 % PARTS;
        int row = row0 + own_row + 8 * r + lane / 4;
        int column = column0 + own_column + 8 * c + 2 * (lane % 4) + k % 2;

        if (row < M && column < N) {
            half *out = C + (size_t)row * N + column;

            *out = __double2half(alpha * sum[r][c][k % 2] +
                                 beta * (double)__half2float(*out));
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
