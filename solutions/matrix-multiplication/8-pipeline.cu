// warpjudge: matrix-multiplication
// expect: accepted
// not-modelled: waiting for loads
// idea: The threads wait for each slice to come from memory, and for each word to come from shared
//   memory. Let asynchronous copies bring the next slices, and fetch the next words before these
//   are multiplied.
// Against step 7: nobody waits for loads. Asynchronous copies bring the next slices to
// shared memory while one is multiplied. They write A's elements one by one, so that it
// is transposed on the way. A thread fetches its next 16 words from shared memory before
// it multiplies those that it has. Its multiplications go through its square like a snake, as
// in step 8 of sgemm, so that each has a factor of the one before. Without that nothing is gained.
// An H100 takes 8.79 ms, where step 7 takes 9.71.
// H200: 8.82 ms, 1.12 times as fast as step 7
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define TILE 128 // rows and columns of a block's part of C
#define DEPTH 8
#define OWN 8
#define STAGES 4 // slices that are in shared memory or on their way
#define THREADS 256
#define LANES_DOWN 4 // a warp's threads make 32 rows and 64 columns
#define LANES_ACROSS 8
#define WARPS_ACROSS 2

struct slice {
    float a[DEPTH][TILE + 4]; // transposed: a thread's rows lie side by side
    float b[DEPTH * TILE];
};

// What a thread brings of A and B. Rows and columns of C that are not there take the last
// one's, for sums that nobody stores. ALIGNED: B's rows begin at 16 bytes, and K is a
// multiple of 4.
template <bool ALIGNED> struct share {
    static const int EACH = ALIGNED ? 4 : 1; // floats of a copy of B
    static const int FROM_A = TILE * DEPTH / THREADS,
                     FROM_B = DEPTH * TILE / EACH / THREADS;
    int a[FROM_A], b[FROM_B]; // from the beginning of A, and of the slice's rows of B
};

template <bool ALIGNED>
__device__ static void
plan(share<ALIGNED> *p, int row0, int column0, int M, int N, int K)
{
#pragma unroll
    for (int e = 0; e < p->FROM_A; e++)
        p->a[e] = min(row0 + (int)threadIdx.x / DEPTH + e * (THREADS / DEPTH), M - 1) * N;
#pragma unroll
    for (int e = 0; e < p->FROM_B; e++) {
        int at = (threadIdx.x + e * THREADS) * p->EACH;

        p->b[e] = at / TILE * K + min(column0 + at % TILE, K - p->EACH);
    }
}

// Begins to copy the slice from column and row k0 on; zeros beyond the end of A's rows
// and of B.
template <bool ALIGNED>
__device__ static void
load(slice *to, const share<ALIGNED> *p, const float *A, const float *B, int k0, int N, int K)
{
    const int k = threadIdx.x % DEPTH, r = threadIdx.x / DEPTH;
    const float *from = A + (k0 + k < N ? k0 + k : 0);
    const int nothing = k0 + k < N ? 0 : 4; // bytes of four that become zeros

#pragma unroll
    for (int e = 0; e < p->FROM_A; e++)
        __pipeline_memcpy_async(&to->a[k][r + e * (THREADS / DEPTH)], from + p->a[e], 4,
                                nothing);
#pragma unroll
    for (int e = 0; e < p->FROM_B; e++) {
        int at = (threadIdx.x + e * THREADS) * p->EACH;
        bool inside = k0 + at / TILE < N;

        __pipeline_memcpy_async(&to->b[at], inside ? B + (size_t)k0 * K + p->b[e] : B,
                                p->EACH * 4, inside ? 0 : p->EACH * 4);
    }
}

// What a thread multiplies at once: a column of A and a row of B.
struct fragment {
    float a[OWN], b[OWN];
};

__device__ static void
fetch(fragment *f, const slice *s, int row, int column, int k)
{
#pragma unroll
    for (int r = 0; r < OWN; r += 4)
        *(float4 *)&f->a[r] = *(const float4 *)&s->a[k][row + r * LANES_DOWN];
#pragma unroll
    for (int c = 0; c < OWN; c += 4)
        *(float4 *)&f->b[c] =
            *(const float4 *)&s->b[k * TILE + column + c * LANES_ACROSS];
}

__device__ static void
multiply(float sum[OWN][OWN], const fragment *f)
{
#pragma unroll
    for (int c = 0; c < OWN; c++)
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            int r = c % 2 ? OWN - 1 - i : i;

            sum[r][c] += f->a[r] * f->b[c];
        }
}

__device__ static void
finish(const float sum[OWN][OWN], float *C, int row, int column, int M, int K)
{
#pragma unroll
    for (int r = 0; r < OWN; r++)
#pragma unroll
        for (int c = 0; c < OWN; c += 4) {
            int i = row + r % 4 + r / 4 * 4 * LANES_DOWN, j = column + c * LANES_ACROSS;
            float *to = &C[(size_t)i * K + j];

            for (int e = 0; e < 4; e++)
                if (i < M && j + e < K)
                    *(volatile float *)(to + e) = sum[r][c + e]; // never four at a time
        }
}

template <bool ALIGNED>
__global__ void
__launch_bounds__(THREADS, 2) product(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) slice slices[STAGES];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, count = (N + DEPTH - 1) / DEPTH;
    int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    int row = warp / WARPS_ACROSS * OWN * LANES_DOWN + lane / LANES_ACROSS * 4;
    int column = warp % WARPS_ACROSS * OWN * LANES_ACROSS + lane % LANES_ACROSS * 4;
    float sum[OWN][OWN] = {};
    fragment f[2];
    share<ALIGNED> p;

    auto begin = [&](int s) {
        if (s < count)
            load<ALIGNED>(&slices[s % STAGES], &p, A, B, s * DEPTH, N, K);
        __pipeline_commit();
    };

    plan<ALIGNED>(&p, row0, column0, M, N, K);
    // A product with fewer slices gets zeros for the others: the last of them is read ahead, too.
    for (int s = 0; s < STAGES; s++) {
        load<ALIGNED>(&slices[s], &p, A, B, s * DEPTH, N, K);
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();
    fetch(&f[0], &slices[0], row, column, 0);
    for (int s = 0; s < count; s++) {
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            if (k == DEPTH - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next slice is here for all, and this one is no
                                 // longer read
                begin(s + STAGES);
            }
            fetch(&f[(k + 1) % 2], &slices[(k < DEPTH - 1 ? s : s + 1) % STAGES], row,
                  column, (k + 1) % DEPTH);
            multiply(sum, &f[k % 2]);
        }
    }
    finish(sum, C, row0 + row, column0 + column, M, K);
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    if (K % 4 == 0)
        product<true><<<grid, THREADS>>>(A, B, C, M, N, K);
    else
        product<false><<<grid, THREADS>>>(A, B, C, M, N, K);
}
