/*
 * Sums in double, rounded once to half. A block of 16 x 16 threads makes a tile of 64 x
 * 64, each thread 4 x 4 of it.
 */
#include <cuda_fp16.h>

#define TILE 64
#define DEPTH 16
#define OWN 4

__global__ static void __launch_bounds__(256)
    multiply(const __half *A, const __half *B, __half *C, int M, int N, int K)
{
    __shared__ double a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE, column0 = (int)blockIdx.x * TILE;
    const size_t batch = blockIdx.z;
    double sum[OWN][OWN] = {};

    A += batch * M * K;
    B += batch * K * N;
    C += batch * M * N;
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int e = thread; e < TILE * DEPTH; e += 256) {
            int r = e / DEPTH, k = e % DEPTH;
            bool inside = row0 + r < M && k0 + k < K;

            a[k][r] =
                inside ? (double)__half2float(A[(size_t)(row0 + r) * K + k0 + k]) : 0;
        }
        for (int e = thread; e < TILE * DEPTH; e += 256) {
            int k = e / TILE, c = e % TILE;
            bool inside = k0 + k < K && column0 + c < N;

            b[k][c] =
                inside ? (double)__half2float(B[(size_t)(k0 + k) * N + column0 + c]) : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++)
            for (int r = 0; r < OWN; r++)
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += a[k][ty + 16 * r] * b[k][tx + 16 * c];
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++) {
        int row = row0 + ty + 16 * r;

        for (int c = 0; c < OWN; c++) {
            int column = column0 + tx + 16 * c;

            if (row < M && column < N)
                C[(size_t)row * N + column] = __double2half(sum[r][c]);
        }
    }
}

extern "C" void
solve(const __half *A, const __half *B, __half *C, int BATCH, int M, int N, int K)
{
    dim3 grid((unsigned)(N + TILE - 1) / TILE, (unsigned)(M + TILE - 1) / TILE,
              (unsigned)BATCH);

    multiply<<<grid, 256>>>(A, B, C, M, N, K);
}
