// warpjudge: matrix-multiplication
// expect: accepted
// A tile of 128 x 128 for each block, 8 x 8 for each thread in registers, the next slice
// fetched with float4 while this one is multiplied. Where a tile is ragged, guarded loads.
#include <cuda_runtime.h>

#define TILE 128
#define DEPTH 8
#define OWN 8
#define THREADS 256

// Four neighbours of a row from `at`, of which `inside` lie in the matrix.
__device__ static float4
load4(const float *at, int inside, bool aligned)
{
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    if (aligned && inside >= 4)
        return *(const float4 *)at;
    if (inside > 0)
        v.x = at[0];
    if (inside > 1)
        v.y = at[1];
    if (inside > 2)
        v.z = at[2];
    if (inside > 3)
        v.w = at[3];
    return v;
}

__global__ void __launch_bounds__(THREADS)
multiply(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
         int M, int N, int K)
{
    __shared__ float a[2][DEPTH][TILE + 4]; // transposed: a thread's rows lie side by side
    __shared__ float b[2][DEPTH][TILE];
    const int thread = threadIdx.x;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    const int a_row = thread / 2, a_t = thread % 2 * 4;         // what this thread fetches
    const int b_t = thread / 32, b_column = thread % 32 * 4;
    const int first_row = thread / 16 * 4, first_column = thread % 16 * 4; // what it makes
    const bool a_aligned = N % 4 == 0, b_aligned = K % 4 == 0;
    const float *a_from = A + (size_t)(row0 + a_row) * N;
    float sum[OWN][OWN] = {};
    float4 next_a, next_b;
    int turn = 0;

    auto fetch = [&](int t0) {
        int a_left = row0 + a_row < M ? N - t0 - a_t : 0;
        int b_left = t0 + b_t < N ? K - column0 - b_column : 0;

        next_a = load4(a_from + t0 + a_t, a_left, a_aligned);
        next_b = load4(B + (size_t)(t0 + b_t) * K + column0 + b_column, b_left, b_aligned);
    };
    auto store = [&](int to) {
        a[to][a_t][a_row] = next_a.x;
        a[to][a_t + 1][a_row] = next_a.y;
        a[to][a_t + 2][a_row] = next_a.z;
        a[to][a_t + 3][a_row] = next_a.w;
        *(float4 *)&b[to][b_t][b_column] = next_b;
    };

    fetch(0);
    store(0);
    __syncthreads();
    for (int t0 = 0; t0 < N; t0 += DEPTH, turn ^= 1) {
        const bool more = t0 + DEPTH < N;

        if (more)
            fetch(t0 + DEPTH);
#pragma unroll
        for (int t = 0; t < DEPTH; t++) {
            float x[OWN], y[OWN];

            *(float4 *)&x[0] = *(const float4 *)&a[turn][t][first_row];
            *(float4 *)&x[4] = *(const float4 *)&a[turn][t][first_row + TILE / 2];
            *(float4 *)&y[0] = *(const float4 *)&b[turn][t][first_column];
            *(float4 *)&y[4] = *(const float4 *)&b[turn][t][first_column + TILE / 2];
#pragma unroll
            for (int r = 0; r < OWN; r++)
#pragma unroll
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += x[r] * y[c];
        }
        if (more)
            store(turn ^ 1);
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++) {
        int row = row0 + first_row + r % 4 + r / 4 * (TILE / 2);

        for (int c = 0; c < OWN; c += 4) {
            int column = column0 + first_column + c / 4 * (TILE / 2);
            float *to = C + (size_t)row * K + column;

            if (row >= M)
                continue;
            if (b_aligned && column + 3 < K)
                *(float4 *)to =
                    make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
            else
                for (int k = 0; k < 4 && column + k < K; k++)
                    to[k] = sum[r][c + k];
        }
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    multiply<<<grid, THREADS>>>(A, B, C, M, N, K);
}
