/*
 * Exact sums of raw products, four at a time (dp4a), corrected for the zero points at the
 * end:
 *
 *   sum (a - za)(b - zb) = sum ab - zb sum a - za sum b + K za zb
 *
 * Then the float operations in the order of the statement, each rounded. A block of 16 x 16
 * threads makes a tile of 64 x 64, each thread 4 x 4 of it. What lies outside the matrices
 * counts as 0 in all three sums.
 */
#include <stdint.h>

#define TILE 64
#define WORDS 8 /* of four int8: 32 of the inner dimension at a time */
#define OWN 4

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

__global__ static void __launch_bounds__(256)
multiply(const int8_t *__restrict__ A, const int8_t *__restrict__ B, int8_t *__restrict__ C,
         int M, int N, int K, requantize q)
{
    __shared__ int a[TILE][WORDS + 1]; /* four neighbours of a row in each word */
    __shared__ int b[TILE][WORDS + 1]; /* four neighbours of a column, transposed */
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE, column0 = (int)blockIdx.x * TILE;
    int sum[OWN][OWN] = {}, row_sum[OWN] = {}, column_sum[OWN] = {};

    for (int t0 = 0; t0 < K; t0 += 4 * WORDS) {
        for (int e = thread; e < TILE * 4 * WORDS; e += 256) {
            int r = e / (4 * WORDS), t = e % (4 * WORDS);
            bool inside = row0 + r < M && t0 + t < K;

            ((int8_t *)a[r])[t] =
                inside ? A[(size_t)(row0 + r) * K + t0 + t] : (int8_t)0;
        }
        for (int e = thread; e < TILE * 4 * WORDS; e += 256) {
            int t = e / TILE, c = e % TILE;
            bool inside = t0 + t < K && column0 + c < N;

            ((int8_t *)b[c])[t] =
                inside ? B[(size_t)(t0 + t) * N + column0 + c] : (int8_t)0;
        }
        __syncthreads();
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            int x[OWN], y[OWN];

            for (int k = 0; k < OWN; k++) {
                x[k] = a[ty + 16 * k][w];
                y[k] = b[tx + 16 * k][w];
                row_sum[k] = __dp4a(x[k], 0x01010101, row_sum[k]);
                column_sum[k] = __dp4a(y[k], 0x01010101, column_sum[k]);
            }
            for (int r = 0; r < OWN; r++)
                for (int c = 0; c < OWN; c++)
                    sum[r][c] = __dp4a(x[r], y[c], sum[r][c]);
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++) {
        int row = row0 + ty + 16 * r;

        for (int c = 0; c < OWN; c++) {
            int column = column0 + tx + 16 * c;

            if (row < M && column < N)
                C[(size_t)row * N + column] =
                    finish(sum[r][c], row_sum[r], column_sum[c], K, q);
        }
    }
}

extern "C" void
solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float scale_A,
      float scale_B, float scale_C, int zero_point_A, int zero_point_B, int zero_point_C)
{
    requantize q = {scale_A,      scale_B,      scale_C,
                    zero_point_A, zero_point_B, zero_point_C};
    dim3 grid((unsigned)(N + TILE - 1) / TILE, (unsigned)(M + TILE - 1) / TILE);

    multiply<<<grid, 256>>>(A, B, C, M, N, K, q);
}
