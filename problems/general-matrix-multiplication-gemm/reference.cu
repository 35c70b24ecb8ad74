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
#define THREADS 256
#define FETCH_A (TILE_ROWS * DEPTH / THREADS) /* elements that each thread fetches */
#define FETCH_B (TILE_COLUMNS * DEPTH / THREADS)

/* sum (16 x 8) += x (16 x 8) y (8 x 8). With i = l / 4 and j = l % 4, lane l has x[i][j],
 * x[i + 8][j], x[i][j + 4] and x[i + 8][j + 4], y[j][i] and y[j + 4][i], and of rows i and
 * i + 8 of the sum the columns 2 j and 2 j + 1. */
__device__ static void
multiply_add(double sum[4], const double x[4], const double y[2])
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]));
#else /* has only that of 8 x 8 x 4 */
    for (int k = 0; k < 4; k++)
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(sum[k % 2 * 2]), "+d"(sum[k % 2 * 2 + 1])
            : "d"(x[k]), "d"(y[k / 2]));
#endif
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
    double sum[2][4][4] = {};
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
        for (int t = lane % 4; t < DEPTH; t += 8) {
            double x[2][4], y[4][2];

#pragma unroll
            for (int k = 0; k < 8; k++) {
                x[k / 4][k % 4] =
                    a[own_row + k / 4 * 16 + k % 2 * 8 + lane / 4][t + k % 4 / 2 * 4];
                y[k / 2][k % 2] = b[t + k % 2 * 4][own_column + k / 2 * 8 + lane / 4];
            }
#pragma unroll
            for (int k = 0; k < 8; k++)
                multiply_add(sum[k / 4][k % 4], x[k / 4], y[k % 4]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 32; k++) {
        int r = k / 16, c = k / 4 % 4, i = k % 4; /* i: which of the lane's four sums */
        int row = row0 + own_row + 16 * r + i / 2 * 8 + lane / 4;
        int column = column0 + own_column + 8 * c + lane % 4 * 2 + i % 2;

        if (row < M && column < N) {
            half *out = C + (size_t)row * N + column;

            *out = __double2half(alpha * sum[r][c][i] + beta * (double)__half2float(*out));
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
