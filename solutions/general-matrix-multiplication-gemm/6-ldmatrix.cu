// warpjudge: general-matrix-multiplication-gemm
// expect: accepted
// idea: Loads from shared memory meet bank conflicts, and the result takes a detour on its way out.
//   Use the instructions below the warp matrix functions, and swizzle the slices so that no banks
//   conflict.
// mma.sync instead of warp matrix functions: it is said which lane holds what, so that the
// result goes straight to memory. ldmatrix brings four 8 x 8 matrices at once, and the chunks of
// 16 bytes are swizzled, so that no two rows of one meet in a bank: in step 5 four did. 64 x 64
// for each warp, whose next fragments come while it multiplies.
// H200: 363 µs, 1.37 times as fast as step 5
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define ROWS 128 // of a block's part of C
#define COLUMNS 256
#define WARPS_DOWN 2
#define WARPS_ACROSS 4
#define STAGES 4 // slices that are in shared memory or on their way
#define DEPTH 64
#define THREADS (WARPS_DOWN * WARPS_ACROSS * 32)
#define DOWN (ROWS / WARPS_DOWN / 16) // products of a warp, 16 x 8 each
#define ACROSS (COLUMNS / WARPS_ACROSS / 8)
#define SHARED_BYTES (STAGES * (int)sizeof(slice))
#define ANY_TILE 32

struct slice {
    half a[ROWS * DEPTH];
    half b[DEPTH * COLUMNS];
};

// Any size: zeros outside of the matrices.
__global__ void
gemm_any(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
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

// Where a chunk of 8 halves lies in rows of `width` halves: its place among eight depends on the
// row, so that the same chunk of eight rows meets all banks.
__device__ static int
swizzled(int row, int chunk, int width)
{
    return row * width + (chunk ^ row % 8) * 8;
}

// Begins to copy a slice.
__device__ static void
load(slice *to, const half *A, const half *B, int K, int N)
{
#pragma unroll
    for (int e = 0; e < ROWS * DEPTH / 8 / THREADS; e++) {
        int at = threadIdx.x + e * THREADS, i = at / (DEPTH / 8), c = at % (DEPTH / 8);

        __pipeline_memcpy_async(to->a + swizzled(i, c, DEPTH), A + (size_t)i * K + c * 8, 16);
    }
#pragma unroll
    for (int e = 0; e < DEPTH * COLUMNS / 8 / THREADS; e++) {
        int at = threadIdx.x + e * THREADS, i = at / (COLUMNS / 8), c = at % (COLUMNS / 8);

        __pipeline_memcpy_async(to->b + swizzled(i, c, COLUMNS), B + (size_t)i * N + c * 8, 16);
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
finish(const float sum[DOWN][ACROSS][4], half *C, int N, float alpha, float beta)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        half2 *to[2], old[2][ACROSS];

#pragma unroll
        for (int h = 0; h < 2; h++) {
            to[h] = (half2 *)(C + (size_t)(i * 16 + h * 8 + lane / 4) * N + lane % 4 * 2);
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                old[h][j] = to[h][j * 4];
        }
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
            for (int j = 0; j < ACROSS; j++) {
                float2 c = __half22float2(old[h][j]);

                to[h][j * 4] = __floats2half2_rn(alpha * sum[i][j][h * 2] + beta * c.x,
                                                 alpha * sum[i][j][h * 2 + 1] + beta * c.y);
            }
    }
}

__global__ void
__launch_bounds__(THREADS)
    gemm(const half *A, const half *B, half *C, int N, int K, float alpha, float beta)
{
    extern __shared__ __align__(128) char shared[];
    slice *slices = (slice *)shared;
    int warp = threadIdx.x / 32, row = warp / WARPS_ACROSS * DOWN * 16;
    int column = warp % WARPS_ACROSS * ACROSS * 8, count = K / DEPTH;
    float sum[DOWN][ACROSS][4] = {};
    fragments f[2];

    A += (size_t)blockIdx.y * ROWS * K;
    B += blockIdx.x * COLUMNS;
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count)
            load(&slices[s], A + s * DEPTH, B + (size_t)s * DEPTH * N, K, N);
        __pipeline_commit();
    }
    for (int s = 0; s < count; s++) {
        const slice *now = &slices[s % STAGES];
        int next = s + STAGES - 1;

        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // slice s is here for all, and slice s-1 is no longer read
        fetch(&f[0], now, row, column, 0);
        if (next < count)
            load(&slices[next % STAGES], A + next * DEPTH, B + (size_t)next * DEPTH * N, K, N);
        __pipeline_commit();
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
            if (k + 1 < DEPTH / 16)
                fetch(&f[(k + 1) % 2], now, row, column, k * 16 + 16);
            multiply(sum, &f[k % 2]);
        }
    }
    finish(sum, C + ((size_t)blockIdx.y * ROWS + row) * N + blockIdx.x * COLUMNS + column, N, alpha,
           beta);
}

extern "C" void
solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    dim3 grid((N + ANY_TILE - 1) / ANY_TILE, (M + ANY_TILE - 1) / ANY_TILE);

    if (M % ROWS == 0 && N % COLUMNS == 0 && K % DEPTH == 0) {
        cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
        gemm<<<dim3(N / COLUMNS, M / ROWS), THREADS, SHARED_BYTES>>>(A, B, C, N, K, alpha, beta);
    } else {
        gemm_any<<<grid, dim3(ANY_TILE, ANY_TILE)>>>(A, B, C, M, N, K, alpha, beta);
    }
}
