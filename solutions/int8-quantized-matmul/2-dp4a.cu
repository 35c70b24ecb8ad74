// warpjudge: int8-quantized-matmul
// expect: accepted
// idea: Each product costs two loads of a byte and two subtractions. Multiply four raw bytes with
//   one instruction, and bring in the zero points at the end by the sums of rows and columns.
// Against step 1: dp4a multiplies and adds four raw bytes at a time. The zero points come in at the
// end, by the sums of rows and columns:
// sum (a - za)(b - zb) = sum ab - zb sum a - za sum b + K za zb. A tile of 64 x 64 for each block, 4 x 4
// for each thread; four rows of B become words of four neighbours by byte permutes.
// H200: 1.23 ms, 12 times as fast as step 1
#include <cuda_runtime.h>
#include <stdint.h>

#define TILE 64
#define WORDS 8 // of four bytes: 32 of the inner dimension at a time
#define OWN 4

struct quantization {
    float scale_A, scale_B, scale_C;
    int zero_A, zero_B, zero_C;
};

// Four neighbours of a row from `at`, of which `inside` lie in the matrix; the rest are 0.
__device__ static unsigned
load4(const int8_t *at, int inside, bool aligned)
{
    unsigned word = 0;

    if (aligned && inside >= 4)
        return *(const unsigned *)at;
    for (int k = 0; k < 4 && k < inside; k++)
        word |= (unsigned)(uint8_t)at[k] << 8 * k;
    return word;
}

// 4 x 4 bytes: word i of the result holds byte i of every row.
__device__ static void
transpose4(const unsigned row[4], unsigned column[4])
{
    unsigned low01 = __byte_perm(row[0], row[1], 0x5140);  // r0b0 r1b0 r0b1 r1b1
    unsigned low23 = __byte_perm(row[2], row[3], 0x5140);
    unsigned high01 = __byte_perm(row[0], row[1], 0x7362); // r0b2 r1b2 r0b3 r1b3
    unsigned high23 = __byte_perm(row[2], row[3], 0x7362);

    column[0] = __byte_perm(low01, low23, 0x5410);
    column[1] = __byte_perm(low01, low23, 0x7632);
    column[2] = __byte_perm(high01, high23, 0x5410);
    column[3] = __byte_perm(high01, high23, 0x7632);
}

__device__ static int8_t
requantize(int sum, quantization q)
{
    float v = (float)sum * q.scale_A * q.scale_B / q.scale_C;
    int whole = (int)rintf(v) + q.zero_C;

    return (int8_t)max(-128, min(127, whole));
}

__global__ void __launch_bounds__(256)
multiply(const int8_t *__restrict__ A, const int8_t *__restrict__ B, int8_t *__restrict__ C,
         int M, int N, int K, quantization q)
{
    __shared__ unsigned a[TILE][WORDS + 1];
    __shared__ unsigned b[WORDS][TILE];
    const int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    const bool a_aligned = K % 4 == 0, b_aligned = N % 4 == 0;
    int sum[OWN][OWN] = {}, row_sum[OWN] = {}, column_sum[OWN] = {};

    for (int t0 = 0; t0 < K; t0 += 4 * WORDS) {
        for (int e = thread; e < TILE * WORDS; e += 256) {
            int r = e / WORDS, w = e % WORDS, t = t0 + 4 * w;

            a[r][w] = load4(A + (size_t)(row0 + r) * K + t, row0 + r < M ? K - t : 0,
                            a_aligned);
        }
        if (thread < WORDS * TILE / 4) {
            int w = thread / (TILE / 4), c = thread % (TILE / 4) * 4;
            unsigned row[4], column[4];

            for (int k = 0; k < 4; k++) {
                int t = t0 + 4 * w + k;

                row[k] = load4(B + (size_t)t * N + column0 + c,
                               t < K ? N - column0 - c : 0, b_aligned);
            }
            transpose4(row, column);
            for (int k = 0; k < 4; k++)
                b[w][c + k] = column[k];
        }
        __syncthreads();
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            int x[OWN], y[OWN];

#pragma unroll
            for (int k = 0; k < OWN; k++) {
                x[k] = (int)a[ty + 16 * k][w];
                y[k] = (int)b[w][tx + 16 * k];
                row_sum[k] = __dp4a(x[k], 0x01010101, row_sum[k]);
                column_sum[k] = __dp4a(y[k], 0x01010101, column_sum[k]);
            }
#pragma unroll
            for (int r = 0; r < OWN; r++)
#pragma unroll
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
                    requantize(sum[r][c] - q.zero_B * row_sum[r] - q.zero_A * column_sum[c] +
                                   K * q.zero_A * q.zero_B,
                               q);
        }
    }
}

extern "C" void
solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float scale_A,
      float scale_B, float scale_C, int zero_point_A, int zero_point_B, int zero_point_C)
{
    quantization q = {scale_A,      scale_B,      scale_C,
                      zero_point_A, zero_point_B, zero_point_C};
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    multiply<<<grid, 256>>>(A, B, C, M, N, K, q);
}
