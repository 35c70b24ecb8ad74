/*
 * Exact sums of raw products by the tensor cores' mma of int8, corrected for the zero points
 * at the end:
 *
 *   sum (a - za)(b - zb) = sum ab - zb sum a - za sum b + K za zb
 *
 * Then the float operations in the order of the statement, each rounded. A block of eight
 * warps makes a tile of 128 x 64, each warp 32 x 32 of it. What lies outside the matrices
 * counts as 0 in all three sums.
 */
#include <stdint.h>

#define TILE_ROWS 128
#define TILE_COLUMNS 64
#define WORDS 16 /* of four int8: 64 of the inner dimension at a time */
#define OWN 32   /* rows and columns of a warp's tile */
#define THREADS 256

struct requantize {
    float scale_A, scale_B, scale_C;
    int zero_A, zero_B, zero_C;
};

__device__ static int8_t
finish(int raw, int row_sum, int column_sum, int K, requantize q)
{
    int sum = raw - q.zero_B * row_sum - q.zero_A * column_sum + K * q.zero_A * q.zero_B;
    float v = __fdiv_rn(__fmul_rn(__fmul_rn(__int2float_rn(sum), q.scale_A), q.scale_B),
                        q.scale_C);
    float whole = rintf(v) + (float)q.zero_C;

    return (int8_t)fminf(127.0f, fmaxf(-128.0f, whole));
}

/* sum (16 x 8) += x (16 x 32) y (32 x 8). Lane l has word l % 4 of row l / 4 of x, then of row
 * l / 4 + 8, and word l % 4 + 4 of both; words l % 4 and l % 4 + 4 of column l / 4 of y; and
 * columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8 of the sum. */
__device__ static void
multiply_add(int sum[4], const int x[4], const int y[2])
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

/* The sum of what the four lanes of a row or column have. */
__device__ static int
sum_of_four(int v)
{
    v += __shfl_xor_sync(~0u, v, 1);
    return v + __shfl_xor_sync(~0u, v, 2);
}

__device__ static int
word_of(int8_t a, int8_t b, int8_t c, int8_t d)
{
    return (uint8_t)a | (uint8_t)b << 8 | (uint8_t)c << 16 | (int)((unsigned)(uint8_t)d << 24);
}

__global__ static void __launch_bounds__(THREADS)
multiply(const int8_t *__restrict__ A, const int8_t *__restrict__ B, int8_t *__restrict__ C,
         int M, int N, int K, requantize q)
{
    __shared__ int a[TILE_ROWS][WORDS + 4];    /* four neighbours of a row in each word */
    __shared__ int b[TILE_COLUMNS][WORDS + 4]; /* four neighbours of a column, transposed */
    const int thread = (int)threadIdx.x, warp = thread / 32, lane = thread % 32;
    const int row0 = (int)blockIdx.y * TILE_ROWS, column0 = (int)blockIdx.x * TILE_COLUMNS;
    const int own_row = warp / 2 * OWN, own_column = warp % 2 * OWN;
    int sum[2][4][4] = {}, row_sum[2][2] = {}, column_sum[4] = {};

    auto a_at = [&](int row, int t) {
        return row < M && t < K ? A[(size_t)row * K + t] : (int8_t)0;
    };
    auto b_at = [&](int t, int column) {
        return t < K && column < N ? B[(size_t)t * N + column] : (int8_t)0;
    };

    for (int t0 = 0; t0 < K; t0 += 4 * WORDS) {
#pragma unroll
        for (int e = thread; e < TILE_ROWS * WORDS; e += THREADS) {
            const int row = row0 + e / WORDS, t = t0 + 4 * (e % WORDS);

            a[e / WORDS][e % WORDS] =
                K % 4 == 0 && row < M && t < K
                    ? *(const int *)(A + (size_t)row * K + t)
                    : word_of(a_at(row, t), a_at(row, t + 1), a_at(row, t + 2),
                              a_at(row, t + 3));
        }
#pragma unroll
        for (int e = thread; e < TILE_COLUMNS * WORDS; e += THREADS) {
            const int column = column0 + e % TILE_COLUMNS, w = e / TILE_COLUMNS,
                      t = t0 + 4 * w;

            b[e % TILE_COLUMNS][w] = word_of(b_at(t, column), b_at(t + 1, column),
                                             b_at(t + 2, column), b_at(t + 3, column));
        }
        __syncthreads();
#pragma unroll
        for (int w = lane % 4; w < WORDS; w += 8) {
            int x[2][4], y[4][2];

#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    x[r][k] = a[own_row + 16 * r + k % 2 * 8 + lane / 4][w + k / 2 * 4];
                    row_sum[r][k % 2] = __dp4a(x[r][k], 0x01010101, row_sum[r][k % 2]);
                }
#pragma unroll
            for (int c = 0; c < 4; c++)
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    y[c][k] = b[own_column + 8 * c + lane / 4][w + 4 * k];
                    column_sum[c] = __dp4a(y[c][k], 0x01010101, column_sum[c]);
                }
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int c = 0; c < 4; c++)
                    multiply_add(sum[r][c], x[r], y[c]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        row_sum[k / 2][k % 2] = sum_of_four(row_sum[k / 2][k % 2]);
        column_sum[k] = sum_of_four(column_sum[k]);
    }
#pragma unroll
    for (int k = 0; k < 32; k++) {
        const int r = k / 16, c = k / 4 % 4, i = k % 4; /* i: which of the lane's four sums */
        const int row = row0 + own_row + 16 * r + i / 2 * 8 + lane / 4;
        const int column = column0 + own_column + 8 * c + lane % 4 * 2 + i % 2;
        const int of_column = __shfl_sync(~0u, column_sum[c], 4 * (lane % 4 * 2 + i % 2));

        if (row < M && column < N)
            C[(size_t)row * N + column] =
                finish(sum[r][c][i], row_sum[r][i / 2], of_column, K, q);
    }
}

extern "C" void
solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float scale_A,
      float scale_B, float scale_C, int zero_point_A, int zero_point_B, int zero_point_C)
{
    requantize q = {scale_A,      scale_B,      scale_C,
                    zero_point_A, zero_point_B, zero_point_C};
    dim3 grid((unsigned)(N + TILE_COLUMNS - 1) / TILE_COLUMNS,
              (unsigned)(M + TILE_ROWS - 1) / TILE_ROWS);

    multiply<<<grid, THREADS>>>(A, B, C, M, N, K, q);
}
