/*
 * A block of 16 x 16 threads makes a tile of 64 x 64, each thread 4 x 4 of it. A slice of 16 of the
 * inner dimension at a time: products of halves with weights times scales are exact in double, and
 * all sums are in double, in the same order every time.
 */
#include <cuda_fp16.h>
#include <stdint.h>

#define TILE 64
#define SLICE 16
#define OWN 4

__global__ static void __launch_bounds__(256)
multiply(const half *__restrict__ x, const uint8_t *__restrict__ w_q, const half *__restrict__ scales,
         half *__restrict__ y, int M, int N, int K, int group_size)
{
    __shared__ double a[SLICE][TILE + 1], b[SLICE][TILE + 1];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE, column0 = (int)blockIdx.x * TILE;
    double sum[OWN][OWN] = {};

    for (int k0 = 0; k0 < K; k0 += SLICE) {
        for (int e = thread; e < TILE * SLICE; e += 256) {
            int r = e / SLICE, k = k0 + e % SLICE;
            size_t m = (size_t)(row0 + r), n = (size_t)(column0 + r);

            a[e % SLICE][r] = m < (size_t)M && k < K ? (double)__half2float(x[m * K + k]) : 0.0;
            b[e % SLICE][r] = 0;
            if (n < (size_t)N && k < K) {
                int byte = w_q[n * (K / 2) + k / 2], code = k % 2 ? byte & 15 : byte >> 4;

                b[e % SLICE][r] =
                    (code - 8) * (double)__half2float(scales[n * (K / group_size) + k / group_size]);
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SLICE; k++) {
            double u[OWN], v[OWN];

            for (int o = 0; o < OWN; o++) {
                u[o] = a[k][ty + 16 * o];
                v[o] = b[k][tx + 16 * o];
            }
            for (int r = 0; r < OWN; r++)
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += u[r] * v[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++)
        for (int c = 0; c < OWN; c++) {
            int row = row0 + ty + 16 * r, column = column0 + tx + 16 * c;

            if (row < M && column < N)
                y[(size_t)row * N + column] = __double2half(sum[r][c]);
        }
}

extern "C" void
solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N, int K, int group_size)
{
    dim3 grid((unsigned)(N + TILE - 1) / TILE, (unsigned)(M + TILE - 1) / TILE);

    multiply<<<grid, 256>>>(x, w_q, scales, y, M, N, K, group_size);
}
