// warpjudge: gemm-bias-gelu-fp16
// expect: accepted
// not-modelled: more tiles than multiprocessors, which the benchmark on emu has not
// idea: The tensor cores wait for memory and for shared memory, whose banks conflict. Copy the next slices
//   while this one is multiplied, swizzled, and give each warp a larger square.
// Slices of A and B come by asynchronous copies, three ahead. ldmatrix brings four 8 x 8 matrices at once,
// and chunks of 16 bytes are swizzled, so that no two rows of one meet in a bank. A warp makes 64 x 64,
// so that what it loads serves four times as many products. It is said which lane holds which sum:
// bias, GELU and residual need no detour. Where rows do not begin at 16 bytes, step 2's kernel works.
// H200: 3.64 ms, 12 times as fast as step 2
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

#define ROWS 128 // of a block's part of the output
#define COLUMNS 256
#define WARPS_DOWN 2
#define WARPS_ACROSS 4
#define STAGES 4 // slices that are in shared memory or on their way
#define DEPTH 64
#define THREADS (WARPS_DOWN * WARPS_ACROSS * 32)
#define DOWN (ROWS / WARPS_DOWN / 16) // products of a warp, 16 x 8 each
#define ACROSS (COLUMNS / WARPS_ACROSS / 8)
#define SHARED_BYTES (STAGES * (int)sizeof(slice))
#define BAND 16 // tiles below each other, before those to the right: what they read stays in L2
#define ANY_TILE 64 // where rows begin anywhere
#define ANY_DEPTH 32
#define PAD 8 // spreads rows over banks, and keeps them aligned for the fragments

struct slice {
    half a[ROWS * DEPTH];
    half b[DEPTH * COLUMNS];
};


typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;

__device__ static half
finish(float product, half bias, half residual)
{
    float z = product + __half2float(bias);

    return __float2half(0.5f * z * (1.0f + erff(z * 0.70710678f)) + __half2float(residual));
}

// Any size: zeros outside of the matrices.
__global__ void __launch_bounds__(128)
layer_any(const half *A, const half *B, const half *bias, const half *residual, half *output, int M,
      int N, int K)
{
    __shared__ __align__(32) half a[ANY_TILE][ANY_DEPTH + PAD];
    __shared__ __align__(32) half b[ANY_DEPTH][ANY_TILE + PAD];
    __shared__ __align__(32) float c[ANY_TILE][ANY_TILE + PAD];
    const half zero = __float2half(0.0f);
    int thread = threadIdx.x, warp_row = thread / 64 * 32, warp_column = thread / 32 % 2 * 32;
    int row0 = blockIdx.y * ANY_TILE, column0 = blockIdx.x * ANY_TILE;
    sums sum[2][2];

    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++)
            wmma::fill_fragment(sum[r][s], 0.0f);
    for (int k0 = 0; k0 < K; k0 += ANY_DEPTH) {
        for (int e = thread; e < ANY_TILE * ANY_DEPTH; e += 128) {
            int row = e / ANY_DEPTH, k = e % ANY_DEPTH;
            bool inside = row0 + row < M && k0 + k < K;

            a[row][k] = inside ? A[(size_t)(row0 + row) * K + k0 + k] : zero;
        }
        for (int e = thread; e < ANY_TILE * ANY_DEPTH; e += 128) {
            int k = e / ANY_TILE, column = e % ANY_TILE;
            bool inside = k0 + k < K && column0 + column < N;

            b[k][column] = inside ? B[(size_t)(k0 + k) * N + column0 + column] : zero;
        }
        __syncthreads();
        for (int k = 0; k < ANY_DEPTH; k += 16) {
            left x[2];
            right y[2];

            for (int r = 0; r < 2; r++) {
                wmma::load_matrix_sync(x[r], &a[warp_row + 16 * r][k], ANY_DEPTH + PAD);
                wmma::load_matrix_sync(y[r], &b[k][warp_column + 16 * r], ANY_TILE + PAD);
            }
            for (int r = 0; r < 2; r++)
                for (int s = 0; s < 2; s++)
                    wmma::mma_sync(sum[r][s], x[r], y[s], sum[r][s]);
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++)
            wmma::store_matrix_sync(&c[warp_row + 16 * r][warp_column + 16 * s], sum[r][s],
                                    ANY_TILE + PAD, wmma::mem_row_major);
    __syncthreads();
    for (int e = thread; e < ANY_TILE * ANY_TILE; e += 128) {
        int row = row0 + e / ANY_TILE, column = column0 + e % ANY_TILE;
        size_t at = (size_t)row * N + column;

        if (row < M && column < N)
            output[at] = finish(c[e / ANY_TILE][e % ANY_TILE], bias[column], residual[at]);
    }
}

// Where a chunk of 8 halves lies in rows of `width` halves: its place among eight depends on the
// row, so that the same chunk of eight rows meets all banks.
__device__ static int
swizzled(int row, int chunk, int width)
{
    return row * width + (chunk ^ row % 8) * 8;
}

// Begins to copy the slice from column and row k0 on; zeros outside of the matrices.
__device__ static void
load(slice *to, const half *A, const half *B, int row0, int column0, int k0, int M, int N, int K)
{
#pragma unroll
    for (int e = 0; e < ROWS * DEPTH / 8 / THREADS; e++) {
        int at = threadIdx.x + e * THREADS, i = at / (DEPTH / 8), c = at % (DEPTH / 8);
        bool inside = row0 + i < M && k0 + c * 8 < K;

        __pipeline_memcpy_async(to->a + swizzled(i, c, DEPTH),
                                inside ? A + (size_t)(row0 + i) * K + k0 + c * 8 : A, 16,
                                inside ? 0 : 16);
    }
#pragma unroll
    for (int e = 0; e < DEPTH * COLUMNS / 8 / THREADS; e++) {
        int at = threadIdx.x + e * THREADS, i = at / (COLUMNS / 8), c = at % (COLUMNS / 8);
        bool inside = k0 + i < K && column0 + c * 8 < N;

        __pipeline_memcpy_async(to->b + swizzled(i, c, COLUMNS),
                                inside ? B + (size_t)(k0 + i) * N + column0 + c * 8 : B, 16,
                                inside ? 0 : 16);
    }
}

struct fragments {
    uint32_t a[DOWN][4], b[ACROSS][2];
};

// 16 columns of a warp's rows of A and 16 rows of its columns of B, from column and row k on.
__device__ static void
fetch(fragments *f, const slice *from, int row, int column, int k)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        const half *at = from->a + swizzled(row + i * 16 + lane % 16, k / 8 + lane / 16, DEPTH);

        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f->a[i][0]), "=r"(f->a[i][1]), "=r"(f->a[i][2]), "=r"(f->a[i][3])
                     : "r"((uint32_t)__cvta_generic_to_shared(at)));
    }
#pragma unroll
    for (int j = 0; j < ACROSS; j += 2) {
        const half *at =
            from->b + swizzled(k + lane % 16, (column + j * 8) / 8 + lane / 16, COLUMNS);

        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f->b[j][0]), "=r"(f->b[j][1]), "=r"(f->b[j + 1][0]),
                       "=r"(f->b[j + 1][1])
                     : "r"((uint32_t)__cvta_generic_to_shared(at)));
    }
}

__device__ static void
multiply(float sum[DOWN][ACROSS][4], const fragments *f)
{
#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                         "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]),
                           "+f"(sum[i][j][3])
                         : "r"(f->a[i][0]), "r"(f->a[i][1]), "r"(f->a[i][2]), "r"(f->a[i][3]),
                           "r"(f->b[j][0]), "r"(f->b[j][1]));
}

// Lane l holds columns l % 4 * 2 and the next of rows l / 4 and 8 + l / 4 of each product.
__device__ static void
finish_part(const float sum[DOWN][ACROSS][4], const half *bias, const half *residual, half *output,
            int row0, int column0, int M, int N)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            int row = row0 + i * 16 + h * 8 + lane / 4, first = column0 + lane % 4 * 2;
            half2 old[ACROSS], b[ACROSS];

#pragma unroll
            for (int j = 0; j < ACROSS; j++) { // beyond the end what is read counts for nothing
                int column = min(first + j * 8, N - 2);

                old[j] = *(const half2 *)&residual[(size_t)min(row, M - 1) * N + column];
                b[j] = *(const half2 *)&bias[column];
            }
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                if (row < M && first + j * 8 < N)
                    *(half2 *)&output[(size_t)row * N + first + j * 8] =
                        __halves2half2(finish(sum[i][j][h * 2], b[j].x, old[j].x),
                                       finish(sum[i][j][h * 2 + 1], b[j].y, old[j].y));
        }
}

// Row and column of a tile, in tiles.
__device__ static void
place(int tile, int down, int across, int *row, int *column)
{
    int band = tile / (BAND * across), first = band * BAND, height = min(BAND, down - first);
    int inside = tile % (BAND * across);

    *row = first + inside % height;
    *column = inside / height;
}

__global__ void __launch_bounds__(THREADS)
layer(const half *A, const half *B, const half *bias, const half *residual, half *output, int M,
      int N, int K)
{
    extern __shared__ __align__(128) char shared[];
    slice *slices = (slice *)shared;
    int warp = threadIdx.x / 32, row = warp / WARPS_ACROSS * DOWN * 16;
    int column = warp % WARPS_ACROSS * ACROSS * 8, count = (K + DEPTH - 1) / DEPTH;
    int row0, column0;
    float sum[DOWN][ACROSS][4] = {};
    fragments f[2];

    place(blockIdx.x, (M + ROWS - 1) / ROWS, (N + COLUMNS - 1) / COLUMNS, &row0, &column0);
    row0 *= ROWS;
    column0 *= COLUMNS;
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count)
            load(&slices[s], A, B, row0, column0, s * DEPTH, M, N, K);
        __pipeline_commit();
    }
    for (int s = 0; s < count; s++) {
        const slice *now = &slices[s % STAGES];
        int next = s + STAGES - 1;

        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // slice s is here for all, and slice s-1 is no longer read
        fetch(&f[0], now, row, column, 0);
        if (next < count)
            load(&slices[next % STAGES], A, B, row0, column0, next * DEPTH, M, N, K);
        __pipeline_commit();
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
            if (k + 1 < DEPTH / 16)
                fetch(&f[(k + 1) % 2], now, row, column, k * 16 + 16);
            multiply(sum, &f[k % 2]);
        }
    }
    finish_part(sum, bias, residual, output, row0 + row, column0 + column, M, N);
}

extern "C" void
solve(const half *A, const half *B, const half *bias, const half *residual, half *output, int M,
      int N, int K)
{
    int tiles = ((N + COLUMNS - 1) / COLUMNS) * ((M + ROWS - 1) / ROWS);
    dim3 grid((N + ANY_TILE - 1) / ANY_TILE, (M + ANY_TILE - 1) / ANY_TILE);

    if (N % 8 != 0 || K % 8 != 0) {
        layer_any<<<grid, 128>>>(A, B, bias, residual, output, M, N, K);
        return;
    }
    cudaFuncSetAttribute(layer, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    layer<<<tiles, THREADS, SHARED_BYTES>>>(A, B, bias, residual, output, M, N, K);
}
