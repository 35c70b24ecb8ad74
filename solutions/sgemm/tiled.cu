// warpjudge: sgemm
// expect: accepted
// Tiles of 64 x 64 in shared memory, 4 x 4 elements for each thread: every value that is loaded
// from memory serves 64 times, every one from shared memory 4 times.
#include <cuda_runtime.h>

#define TILE 64
#define DEPTH 16
#define OWN 4

__global__ void __launch_bounds__(256)
sgemm(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    __shared__ float a[DEPTH][TILE + 1];
    __shared__ float b[DEPTH][TILE];
    int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
    int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    float sum[OWN][OWN] = {};

    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int e = thread; e < TILE * DEPTH; e += 256) {
            int row = row0 + e / DEPTH, k = k0 + e % DEPTH;

            a[e % DEPTH][e / DEPTH] = row < M && k < K ? A[row * K + k] : 0.0f;
        }
        for (int e = thread; e < TILE * DEPTH; e += 256) {
            int k = k0 + e / TILE, column = column0 + e % TILE;

            b[e / TILE][e % TILE] = k < K && column < N ? B[k * N + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float x[OWN], y[OWN];

            for (int r = 0; r < OWN; r++)
                x[r] = a[k][ty + 16 * r];
            for (int c = 0; c < OWN; c++)
                y[c] = b[k][tx + 16 * c];
            for (int r = 0; r < OWN; r++)
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += x[r] * y[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++) {
        for (int c = 0; c < OWN; c++) {
            int row = row0 + ty + 16 * r, column = column0 + tx + 16 * c;

            if (row < M && column < N) {
                float old = beta != 0.0f ? C[row * N + column] : 0.0f;

                C[row * N + column] = alpha * sum[r][c] + beta * old;
            }
        }
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    sgemm<<<grid, 256>>>(A, B, C, M, N, K, alpha, beta);
}
