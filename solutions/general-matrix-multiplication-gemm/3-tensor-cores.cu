// warpjudge: general-matrix-multiplication-gemm
// expect: accepted
// idea: Ordinary multiplications are a small part of what the GPU can do in half precision. Let
//   each warp multiply fragments of 16 x 16 on the tensor cores.
// Tensor cores, by way of warp matrix functions: each of a block's four warps makes 32 x 32 of a
// tile of 64 x 64, four products of 16 x 16 at a time from two fragments of either factor. Sizes
// that are no multiples of the tile take the kernel of the step before.
// H200: 1.77 ms, 8.0 times as fast as step 2
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

#define TILE 64 // rows and columns of a block's part of C
#define DEPTH 32
#define PAD 8 // halves behind each row: spreads the rows over the banks
#define THREADS 128
#define DOWN 2 // fragments of a warp's part of C
#define ACROSS 2
#define ANY_TILE 32

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;

// Any size: zeros outside of the matrices.
__global__ void
gemm_any(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
         float beta)
{
    __shared__ half a[ANY_TILE][ANY_TILE], b[ANY_TILE][ANY_TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * ANY_TILE + y, column = blockIdx.x * ANY_TILE + x;
    const half zero = __float2half(0.0f);
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += ANY_TILE) {
        a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : zero;
        b[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : zero;
        __syncthreads();
        for (int k = 0; k < ANY_TILE; k++)
            sum += __half2float(a[y][k]) * __half2float(b[k][x]);
        __syncthreads();
    }
    if (row < M && column < N) {
        float old = __half2float(C[row * N + column]);

        C[row * N + column] = __float2half(alpha * sum + beta * old);
    }
}

__device__ static void
load(half (*a)[DEPTH + PAD], half (*b)[TILE + PAD], const half *__restrict__ A,
     const half *__restrict__ B, int K, int N)
{
#pragma unroll
    for (int e = 0; e < TILE * DEPTH / THREADS; e++) {
        int at = threadIdx.x + e * THREADS;

        a[at / DEPTH][at % DEPTH] = A[(size_t)(at / DEPTH) * K + at % DEPTH];
        b[at / TILE][at % TILE] = B[(size_t)(at / TILE) * N + at % TILE];
    }
}

// What one slice of DEPTH adds to a warp's part of C.
__device__ static void
multiply(sums sum[DOWN][ACROSS], const half (*a)[DEPTH + PAD], const half (*b)[TILE + PAD], int row,
         int column)
{
    left x[DOWN];
    right y[ACROSS];

    for (int k = 0; k < DEPTH; k += 16) {
        for (int i = 0; i < DOWN; i++)
            wmma::load_matrix_sync(x[i], &a[row + 16 * i][k], DEPTH + PAD);
        for (int j = 0; j < ACROSS; j++)
            wmma::load_matrix_sync(y[j], &b[k][column + 16 * j], TILE + PAD);
        for (int i = 0; i < DOWN; i++)
            for (int j = 0; j < ACROSS; j++)
                wmma::mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
    }
}

// By way of shared memory: it is not said which element of a fragment is where.
__device__ static void
finish(sums sum[DOWN][ACROSS], float (*c)[TILE + PAD], half *C, int N, int row, int column,
       float alpha, float beta)
{
    const int EACH = TILE * TILE / THREADS;
    half old[EACH];

    for (int i = 0; i < DOWN; i++)
        for (int j = 0; j < ACROSS; j++)
            wmma::store_matrix_sync(&c[row + 16 * i][column + 16 * j], sum[i][j], TILE + PAD,
                                    wmma::mem_row_major);
    __syncthreads();
    // Loads can't overtake stores that might be to the same place: all of them come first.
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int at = threadIdx.x + e * THREADS;

        old[e] = C[(size_t)(at / TILE) * N + at % TILE];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int at = threadIdx.x + e * THREADS, i = at / TILE, j = at % TILE;

        C[(size_t)i * N + j] = __float2half(alpha * c[i][j] + beta * __half2float(old[e]));
    }
}

__global__ void __launch_bounds__(THREADS)
gemm(const half *__restrict__ A, const half *__restrict__ B, half *C, int N, int K, float alpha,
     float beta)
{
    __shared__ __align__(32) half a[TILE][DEPTH + PAD], b[DEPTH][TILE + PAD];
    __shared__ __align__(32) float c[TILE][TILE + PAD];
    int warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
    int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    sums sum[DOWN][ACROSS];

    for (int i = 0; i < DOWN; i++)
        for (int j = 0; j < ACROSS; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        load(a, b, A + (size_t)row0 * K + k0, B + (size_t)k0 * N + column0, K, N);
        __syncthreads();
        multiply(sum, a, b, row, column);
        __syncthreads();
    }
    finish(sum, c, C + (size_t)row0 * N + column0, N, row, column, alpha, beta);
}

extern "C" void
solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    dim3 grid((N + ANY_TILE - 1) / ANY_TILE, (M + ANY_TILE - 1) / ANY_TILE);

    if (M % TILE == 0 && N % TILE == 0 && K % DEPTH == 0)
        gemm<<<dim3(N / TILE, M / TILE), THREADS>>>(A, B, C, N, K, alpha, beta);
    else
        gemm_any<<<grid, dim3(ANY_TILE, ANY_TILE)>>>(A, B, C, M, N, K, alpha, beta);
}
