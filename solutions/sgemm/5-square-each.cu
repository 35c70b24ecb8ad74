// warpjudge: sgemm
// expect: accepted
// idea: In a column of results each multiplication still needs a word of A for itself. Let each
//   thread make a square of results, so that few words in registers serve many multiplications.
// Against step 4: a square of 8 x 8 for each thread, in a tile of 128 x 128. A row of 8
// and a column of 8 are fetched for 64 multiplications, 16 words where a column of 16
// needs 17 for 16. The thread's rows and columns are 16 apart, so that the threads of a
// warp read neighbours. a is kept transposed.
// H200: 26.8 ms, 1.06 times as fast as step 4
#include <cuda_runtime.h>

#define TILE 128
#define DEPTH 8
#define OWN 8
#define APART (TILE / OWN)
#define THREADS 256

__global__ void
__launch_bounds__(THREADS)
    sgemm(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
          int M, int N, int K, float alpha, float beta)
{
    __shared__ float a[DEPTH][TILE + 4],
        b[DEPTH][TILE]; // + 4: stores meet in fewer banks
    const int thread = threadIdx.x;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    const int first_row = thread / APART, first_column = thread % APART;
    float sum[OWN][OWN] = {};

    for (int k0 = 0; k0 < K; k0 += DEPTH) {
#pragma unroll
        for (int e = 0; e < TILE * DEPTH / THREADS; e++) {
            int i = thread + e * THREADS, row = row0 + i / DEPTH, k = k0 + i % DEPTH;
            float v = A[(size_t)min(row, M - 1) * K + min(k, K - 1)];

            a[i % DEPTH][i / DEPTH] = k < K ? v : 0.0f;
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
            float x[OWN], y[OWN];

#pragma unroll
            for (int e = 0; e < OWN; e++) {
                x[e] = a[k][first_row + e * APART];
                y[e] = b[k][first_column + e * APART];
            }
#pragma unroll
            for (int r = 0; r < OWN; r++)
#pragma unroll
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += x[r] * y[c];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < OWN; r++) {
        int row = row0 + first_row + r * APART;

#pragma unroll
        for (int c = 0; c < OWN; c++) {
            int column = column0 + first_column + c * APART;

            float *to = C + (size_t)row * N + column;

            if (row < M && column < N)
                *to = alpha * sum[r][c] + (beta != 0.0f ? beta * *to : 0.0f);
        }
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
      float beta)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    sgemm<<<grid, THREADS>>>(A, B, C, M, N, K, alpha, beta);
}
