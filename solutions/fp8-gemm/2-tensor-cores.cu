// warpjudge: fp8-gemm
// expect: accepted
// idea: Tensor cores are far faster than ordinary multiplications, and half precision holds every
//   fp8 number exactly. Decode to half precision, and multiply large tiles on the tensor cores.
// Against step 1: tensor cores. A block decodes fp8 numbers to half precision, which
// holds all of them, on their way to shared memory. mma.sync multiplies 16 x 16 by 16 x 8
// of those and adds up in 32 bits. A block makes 128 x 128 of C and each of its eight
// warps 64 x 32, so that what is loaded serves 128 times. The next slice comes while this
// one is multiplied.
// H200: 10.1 ms, 34 times as fast as step 1
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#define TILE 128 // rows and columns of a block's part of C
#define DEPTH 32 // columns of A and of B in a slice
#define PITCH                                                                            \
    (DEPTH +                                                                             \
     8) // halves from row to row: the eight rows of a fragment lie in different banks
#define WARPS_ACROSS 4
#define THREADS 256
#define DOWN 4   // products of 16 rows in a warp's part of C
#define ACROSS 4 // and of 8 columns
#define CHUNK 16 // bytes that a thread loads of each factor's slice

struct slice {
    half a[TILE][PITCH], b[TILE][PITCH];
};

// 16 numbers of a row of K from column k on; zeros beyond its end. ALIGNED: all rows
// begin at 16 bytes.
template <bool ALIGNED>
__device__ static uint4
load(const uint8_t *row, int k, int K)
{
    uint4 chunk = {};

    if (ALIGNED) {
        if (k < K)
            chunk = *(const uint4 *)(row + k);
    } else {
        for (int i = 0; i < CHUNK; i++)
            if (k + i < K)
                ((uint32_t *)&chunk)[i / 4] |= (uint32_t)row[k + i] << i % 4 * 8;
    }
    return chunk;
}

__device__ static void
store(half *to, uint4 chunk)
{
    const __nv_fp8x2_storage_t *pairs = (const __nv_fp8x2_storage_t *)&chunk;
    __half2_raw decoded[CHUNK / 2];

#pragma unroll
    for (int i = 0; i < CHUNK / 2; i++)
        decoded[i] = __nv_cvt_fp8x2_to_halfraw2(pairs[i], __NV_E4M3);
    ((uint4 *)to)[0] = ((const uint4 *)decoded)[0];
    ((uint4 *)to)[1] = ((const uint4 *)decoded)[1];
}

__device__ static uint32_t
pair(const half *p)
{
    return *(const uint32_t *)p;
}

__device__ static void
mma(float *sum, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// What a slice adds to the warp's 64 x 32 from this row and column of the tile on.
__device__ static void
multiply(float sum[DOWN][ACROSS][4], const slice *s, int row, int column)
{
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;

#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        uint32_t a[DOWN][4], b[ACROSS][2];

#pragma unroll
        for (int i = 0; i < DOWN; i++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                a[i][e] = pair(&s->a[row + i * 16 + g + e % 2 * 8][k + t + e / 2 * 8]);
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                b[j][e] = pair(&s->b[column + j * 8 + g][k + t + e * 8]);
#pragma unroll
        for (int i = 0; i < DOWN; i++)
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                mma(sum[i][j], a[i], b[j]);
    }
}

template <bool ALIGNED>
__global__ void
__launch_bounds__(THREADS)
    product(const uint8_t *__restrict__ A, const uint8_t *__restrict__ B,
            __nv_bfloat16 *C, int M, int N, int K, float scale)
{
    __shared__ __align__(16) slice slices[2];
    int warp = threadIdx.x / 32, row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    int row = warp / WARPS_ACROSS * DOWN * 16, column = warp % WARPS_ACROSS * ACROSS * 8;
    int own = threadIdx.x / 2, at = threadIdx.x % 2 * CHUNK; // what this thread loads
    const uint8_t *from_a = A + (size_t)min(row0 + own, M - 1) * K;
    const uint8_t *from_b = B + (size_t)min(column0 + own, N - 1) * K;
    uint4 a = load<ALIGNED>(from_a, at, K), b = load<ALIGNED>(from_b, at, K);
    float sum[DOWN][ACROSS][4] = {};

    for (int k = 0, turn = 0; k < K; k += DEPTH, turn ^= 1) {
        store(&slices[turn].a[own][at], a);
        store(&slices[turn].b[own][at], b);
        __syncthreads();
        a = load<ALIGNED>(from_a, k + DEPTH + at, K);
        b = load<ALIGNED>(from_b, k + DEPTH + at, K);
        multiply(sum, &slices[turn], row, column);
    }
#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int m = row0 + row + i * 16 + threadIdx.x % 32 / 4 + e / 2 * 8;
                int n = column0 + column + j * 8 + threadIdx.x % 4 * 2 + e % 2;

                if (m < M && n < N)
                    C[(size_t)m * N + n] = __float2bfloat16(scale * sum[i][j][e]);
            }
}

extern "C" void
solve(const uint8_t *A, const uint8_t *B, __nv_bfloat16 *C, int M, int N, int K,
      float scale_a, float scale_b)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    auto *kernel = K % CHUNK == 0 ? product<true> : product<false>;

    kernel<<<grid, THREADS>>>(A, B, C, M, N, K, scale_a * scale_b);
}
