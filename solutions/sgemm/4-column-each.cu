// warpjudge: sgemm
// expect: accepted
// idea: Each multiplication waits for two words of shared memory. Let a thread make several
//   elements of a column, so that a word of B stays in a register for all of them.
// Against step 3: a tile of 64 x 64 for each block, and 16 elements of a column for each
// thread, in registers. In step 3 each multiplication waited for two words of shared
// memory. An element of b now stays in a register for 16 of them, and a warp fetches one
// word of a for all its threads. Beyond the last row and column the last ones are read
// again, for sums that nobody stores.
// H200: 28.5 ms, 2.4 times as fast as step 3
#include <cuda_runtime.h>

#define TILE 64
#define DEPTH 16
#define OWN 16
#define THREADS 256

__global__ void
__launch_bounds__(THREADS)
    sgemm(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
          int M, int N, int K, float alpha, float beta)
{
    __shared__ float a[TILE][DEPTH], b[DEPTH][TILE];
    const int thread = threadIdx.x;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    const int first_row = thread / TILE * OWN, own_column = thread % TILE;
    float sum[OWN] = {};

    for (int k0 = 0; k0 < K; k0 += DEPTH) {
#pragma unroll
        for (int e = 0; e < TILE * DEPTH / THREADS; e++) {
            int i = thread + e * THREADS, row = row0 + i / DEPTH, k = k0 + i % DEPTH;
            float v = A[(size_t)min(row, M - 1) * K + min(k, K - 1)];

            a[i / DEPTH][i % DEPTH] = k < K ? v : 0.0f;
        }
#pragma unroll
        for (int e = 0; e < DEPTH * TILE / THREADS; e++) {
            int i = thread + e * THREADS, k = k0 + i / TILE, column = column0 + i % TILE;
            float v = B[(size_t)min(k, K - 1) * N + min(column, N - 1)];

            b[i / TILE][i % TILE] = k < K ? v : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float y = b[k][own_column];

#pragma unroll
            for (int r = 0; r < OWN; r++)
                sum[r] += a[first_row + r][k] * y;
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++) {
        int row = row0 + first_row + r, column = column0 + own_column;

        float *to = C + (size_t)row * N + column;

        if (row < M && column < N)
            *to = alpha * sum[r] + (beta != 0.0f ? beta * *to : 0.0f);
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
      float beta)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    sgemm<<<grid, THREADS>>>(A, B, C, M, N, K, alpha, beta);
}
