// warpjudge: flash-attention-backward
// expect: accepted
// idea: Scores are made twice, and what a warp loads of them serves one product only. Let one pass add to all
//   gradients, with 32 x 32 products for each warp while the next tile is copied.
// Five products for each pair of tiles instead of seven: the pass over the keys adds to the gradient of the queries
// by atomics. That alone is a loss (narrow-one-pass.cu), since shared memory is busier than the tensor cores. Eight
// warps now share 128 keys and 64 queries. Each makes 32 x 32 of P and Z, 32 x 64 of the gradients of K and V, and 32 x 32
// of that of Q, so that all it loads serves two products or more. P and Z go through shared memory, since other
// warps need them. Asynchronous copies bring the next queries and gradients while these are multiplied. Twice as
// many keys for a block are half as many atomics.
// H200: 6.43 ms, 1.42 times as fast as step 2
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define KEYS 128 // of a block
#define QUERIES 64 // of a tile
#define THREADS (KEYS * 2) // eight warps
#define GROUPS (KEYS / 32) // of columns of the gradient of Q, each for two warps
#define PAD 8 // halves behind each row: eight rows of 16 bytes meet all banks
#define LOG2_E 1.4426950408889634f

template <int WIDTH> struct queries {
    half q[QUERIES][WIDTH + PAD], g[QUERIES][WIDTH + PAD]; // of Q and dO
    float lse[QUERIES], delta[QUERIES];
};

template <int WIDTH> struct shared_tiles {
    half k[KEYS][WIDTH + PAD], v[KEYS][WIDTH + PAD];
    half p[KEYS][QUERIES + PAD], z[KEYS][QUERIES + PAD];
    queries<WIDTH> at[2]; // one is multiplied, one is on its way
};

struct arrays {
    const half *Q, *K, *V, *dO;
    const float *LSE, *delta;
    float *dQ; // sums, not scaled yet
    half *dK, *dV;
};

// Begins to copy COUNT rows from `first` on, 16 bytes at a time; zeros where there are none.
template <int WIDTH, int COUNT>
__device__ static void
load(half (*to)[WIDTH + PAD], const half *from, int first, int S, int D)
{
#pragma unroll
    for (int e = 0; e < COUNT * WIDTH / 8 / THREADS; e++) {
        int at = threadIdx.x + e * THREADS, r = at / (WIDTH / 8), c = at % (WIDTH / 8) * 8;
        bool inside = first + r < S && c < D;

        __pipeline_memcpy_async(&to[r][c], inside ? &from[(size_t)(first + r) * D + c] : from, 16,
                                inside ? 0 : 16);
    }
}

template <int WIDTH>
__device__ static void
load_queries(queries<WIDTH> *to, const arrays *all, size_t head, int first, int S, int D)
{
    int i = threadIdx.x % QUERIES, side = threadIdx.x / QUERIES;
    const float *from = (side == 0 ? all->LSE : all->delta) + head;

    load<WIDTH, QUERIES>(to->q, all->Q + head * D, first, S, D);
    load<WIDTH, QUERIES>(to->g, all->dO + head * D, first, S, D);
    if (side < 2)
        __pipeline_memcpy_async(side == 0 ? &to->lse[i] : &to->delta[i], first + i < S ? from + first + i : from, 4,
                                first + i < S ? 0 : 4);
}

// Four 8 x 8 matrices: lane l names row l % 8 of matrix l / 8.
__device__ static void
load_matrices(uint32_t *to, const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row)));
}

__device__ static void
load_matrices_turned(uint32_t *to, const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row)));
}

// sum (16 x 8) += a (16 x 16) * b (16 x 8)
__device__ static void
multiply(float *sum, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ static float
exp2_fast(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// sum (32 x 16 * PAIRS) += a * b over DEPTH; a is 32 x DEPTH, a row of b for each column of the result.
template <int PAIRS, int DEPTH, int PITCH>
__device__ static void
multiply_rows(float sum[2][PAIRS * 2][4], const half (*a)[PITCH], const half (*b)[PITCH])
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        uint32_t x[2][4];

#pragma unroll
        for (int i = 0; i < 2; i++)
            load_matrices(x[i], &a[i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
        for (int j = 0; j < PAIRS; j++) {
            uint32_t y[4];

            load_matrices(y, &b[j * 16 + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8]);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                multiply(sum[i][j * 2], x[i], y);
                multiply(sum[i][j * 2 + 1], x[i], y + 2);
            }
        }
    }
}

// The same where b has a row for each of DEPTH; and with TURNED a has, too. Both begin at a column.
template <int PAIRS, int DEPTH, bool TURNED, int A_PITCH, int B_PITCH>
__device__ static void
add_rows(float sum[2][PAIRS * 2][4], const half (*a)[A_PITCH], int row, const half (*b)[B_PITCH], int column)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        uint32_t x[2][4];

#pragma unroll
        for (int i = 0; i < 2; i++)
            if (TURNED)
                load_matrices_turned(x[i], &a[k + lane / 16 * 8 + lane % 8][row + i * 16 + lane / 8 % 2 * 8]);
            else
                load_matrices(x[i], &a[row + i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
        for (int j = 0; j < PAIRS; j++) {
            uint32_t y[4];

            load_matrices_turned(y, &b[k + lane % 16][column + j * 16 + lane / 16 * 8]);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                multiply(sum[i][j * 2], x[i], y);
                multiply(sum[i][j * 2 + 1], x[i], y + 2);
            }
        }
    }
}

// P and Z of the warp's 32 keys and 32 queries, into shared memory.
template <int WIDTH>
__device__ static void
weigh(shared_tiles<WIDTH> *t, const queries<WIDTH> *of, int key, int query, int j0, int i0, int S, float scale)
{
    int lane = threadIdx.x % 32;
    float p[2][4][4] = {}, z[2][4][4] = {};

    multiply_rows<2, WIDTH>(p, t->k + key, of->q + query);
    multiply_rows<2, WIDTH>(z, t->v + key, of->g + query);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int column = query + j * 8 + lane % 4 * 2;
        float2 lse = *(const float2 *)&of->lse[column], delta = *(const float2 *)&of->delta[column];

#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                int row = key + i * 16 + h * 8 + lane / 4;
                float *x = &p[i][j][h * 2], *y = &z[i][j][h * 2];

                x[0] = exp2_fast(x[0] * scale - lse.x * LOG2_E);
                x[1] = exp2_fast(x[1] * scale - lse.y * LOG2_E);
                if (i0 < j0 + KEYS || i0 + QUERIES > S) { // keys behind a query, and queries that are not there
                    x[0] = j0 + row <= i0 + column && i0 + column < S ? x[0] : 0.0f;
                    x[1] = j0 + row <= i0 + column + 1 && i0 + column + 1 < S ? x[1] : 0.0f;
                }
                *(half2 *)&t->p[row][column] = __floats2half2_rn(x[0], x[1]);
                *(half2 *)&t->z[row][column] = __floats2half2_rn(x[0] * (y[0] - delta.x), x[1] * (y[1] - delta.y));
            }
    }
}

template <int WIDTH>
__device__ static void
store(half *to, const float sum[2][WIDTH / 16][4], float scale, int row, int column, int S, int D)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int c = 0; c < WIDTH / 16; c++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                int r = row + i * 16 + h * 8 + lane / 4, at = column + c * 8;

                if (at < D && r < S)
                    *(half2 *)&to[(size_t)r * D + at + lane % 4 * 2] =
                        __floats2half2_rn(sum[i][c][h * 2] * scale, sum[i][c][h * 2 + 1] * scale);
            }
}

template <int WIDTH>
__device__ static void
add_to_queries(float *dQ, const shared_tiles<WIDTH> *t, int i0, int S, int D)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp % 2 * 32;
    int column = warp / 2 * (WIDTH / GROUPS);
    float sum[2][WIDTH / GROUPS / 8][4] = {};

    add_rows<WIDTH / GROUPS / 16, KEYS, true>(sum, t->z, row, t->k, column);
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int c = 0; c < WIDTH / GROUPS / 8; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int r = i0 + row + i * 16 + e / 2 * 8 + lane / 4, at = column + c * 8;

                if (at < D && r < S)
                    atomicAdd(&dQ[(size_t)r * D + at + lane % 4 * 2 + e % 2], sum[i][c][e]);
            }
}

template <int WIDTH>
__global__ void
__launch_bounds__(THREADS, 1) gradients(arrays all, int S, int D, float scale)
{
    extern __shared__ __align__(16) char shared[];
    shared_tiles<WIDTH> *t = (shared_tiles<WIDTH> *)shared;
    int warp = threadIdx.x / 32, j0 = blockIdx.x * KEYS;
    int key = warp / 2 * 32, query = warp % 2 * 32, column = warp % 2 * (WIDTH / 2);
    size_t head = (size_t)blockIdx.y * S;
    float of_k[2][WIDTH / 16][4] = {}, of_v[2][WIDTH / 16][4] = {};

    load<WIDTH, KEYS>(t->k, all.K + head * D, j0, S, D);
    load<WIDTH, KEYS>(t->v, all.V + head * D, j0, S, D);
    load_queries<WIDTH>(&t->at[0], &all, head, j0, S, D);
    __pipeline_commit();
    for (int i0 = j0, turn = 0; i0 < S; i0 += QUERIES, turn ^= 1) {
        const queries<WIDTH> *of = &t->at[turn];

        __pipeline_wait_prior(0);
        __syncthreads(); // these queries are here for all, and those before no longer read
        if (i0 + QUERIES < S)
            load_queries<WIDTH>(&t->at[turn ^ 1], &all, head, i0 + QUERIES, S, D);
        __pipeline_commit();
        weigh<WIDTH>(t, of, key, query, j0, i0, S, scale * LOG2_E);
        __syncthreads(); // P and Z are there for all
        add_rows<WIDTH / 32, QUERIES, false>(of_v, t->p, key, of->g, column);
        add_rows<WIDTH / 32, QUERIES, false>(of_k, t->z, key, of->q, column);
        add_to_queries<WIDTH>(all.dQ + head * D, t, i0, S, D);
    }
    store<WIDTH>(all.dK + head * D, of_k, scale, j0 + key, column, S, D);
    store<WIDTH>(all.dV + head * D, of_v, 1.0f, j0 + key, column, S, D);
}

// A warp for each row.
__global__ void
row_sums(const half *O, const half *dO, float *delta, int rows, int D)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;

    if (row >= rows)
        return;
    for (int c = lane * 2; c < D; c += 64) {
        float2 u = __half22float2(*(const half2 *)&O[(size_t)row * D + c]);
        float2 v = __half22float2(*(const half2 *)&dO[(size_t)row * D + c]);

        sum += u.x * v.x + u.y * v.y;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, offset);
    if (lane == 0)
        delta[row] = sum;
}

__global__ void
round_sums(half *to, const float *from, size_t pairs, float scale)
{
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (at < pairs) {
        float2 two = ((const float2 *)from)[at];

        ((half2 *)to)[at] = __floats2half2_rn(two.x * scale, two.y * scale);
    }
}

template <int WIDTH>
static void
launch(arrays all, int heads, int S, int D)
{
    int bytes = sizeof(shared_tiles<WIDTH>);

    cudaFuncSetAttribute(gradients<WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    gradients<WIDTH><<<dim3((S + KEYS - 1) / KEYS, heads), THREADS, bytes>>>(all, S, D, 1.0f / sqrtf((float)D));
}

extern "C" void
solve(const half *Q, const half *K, const half *V, const half *O, const float *LSE, const half *dO, half *dQ, half *dK,
      half *dV, int B, int H, int S, int D)
{
    int rows = B * H * S;
    size_t size = (size_t)rows * D;
    float *delta, *sums;

    cudaMalloc(&delta, rows * sizeof(float));
    cudaMalloc(&sums, size * sizeof(float));
    cudaMemsetAsync(sums, 0, size * sizeof(float));
    row_sums<<<(rows + 3) / 4, 128>>>(O, dO, delta, rows, D);
    if (D <= 64)
        launch<64>({Q, K, V, dO, LSE, delta, sums, dK, dV}, B * H, S, D);
    else
        launch<128>({Q, K, V, dO, LSE, delta, sums, dK, dV}, B * H, S, D);
    round_sums<<<(size / 2 + 255) / 256, 256>>>(dQ, sums, size / 2, 1.0f / sqrtf((float)D));
    cudaFree(delta);
    cudaFree(sums);
}
