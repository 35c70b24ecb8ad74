// warpjudge: flash-attention-forward
// expect: accepted
// idea: The tensor cores wait for memory, and for what they load from shared memory. Copy the next
//   tile while this one is multiplied, and let a warp own more queries so that each load serves
//   more products.
// In step 3 the tensor cores waited: for memory, and for shared memory, of which four products
// of 16 x 8 need as many cycles as of their own. Asynchronous copies now bring the values while
// the scores are made, and the next keys while the values are added up. A warp owns 32 queries,
// so that what it loads of keys and values serves twice as many products. The rest is small:
// powers of two, whose factor joins that of the scores, masks only on the diagonal, the longest
// rows first.
// H200: 3.93 ms, 1.45 times as fast as step 3
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define WARPS 4
#define DOWN 2                   // groups of 16 queries of a warp
#define ROWS (WARPS * DOWN * 16) // queries of a block
#define KEYS 64                  // of a tile
#define THREADS (WARPS * 32)
#define LOG2_E 1.4426950408889634f
#define LN_2 0.6931471805599453f
#define PAD 8 // halves behind each row: eight rows of 16 bytes meet all banks

template <int WIDTH> struct shared_tiles {
    half q[ROWS][WIDTH + PAD], k[KEYS][WIDTH + PAD], v[KEYS][WIDTH + PAD];
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
    __pipeline_commit();
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

__device__ static uint32_t
pack(float x, float y)
{
    half2 h = __floats2half2_rn(x, y);

    return *(uint32_t *)&h;
}

// s[i][j]: scores of keys 8 * j on, for the warp's group i of queries. Lane l has columns l % 4 * 2
// and the next, of rows l / 4 and 8 + l / 4.
template <int WIDTH>
__device__ static void
make_scores(float s[DOWN][KEYS / 8][4], const half (*q)[WIDTH + PAD], const half (*k)[WIDTH + PAD])
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int c = 0; c < WIDTH; c += 16) {
        uint32_t a[DOWN][4];

#pragma unroll
        for (int i = 0; i < DOWN; i++)
            load_matrices(a[i], &q[i * 16 + lane % 16][c + lane / 16 * 8]);
#pragma unroll
        for (int j = 0; j < KEYS / 8; j += 2) {
            uint32_t b[4];

            load_matrices(b, &k[j * 8 + lane / 16 * 8 + lane % 8][c + lane / 8 % 2 * 8]);
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                multiply(s[i][j], a[i], b);
                multiply(s[i][j + 1], a[i], b + 2);
            }
        }
    }
}

template <int WIDTH>
__device__ static void
add_values(float o[DOWN][WIDTH / 8][4], const float p[DOWN][KEYS / 8][4],
           const half (*v)[WIDTH + PAD])
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int j = 0; j < KEYS / 8; j += 2) {
        uint32_t a[DOWN][4];

#pragma unroll
        for (int i = 0; i < DOWN; i++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                a[i][e] = pack(p[i][j + e / 2][e % 2 * 2], p[i][j + e / 2][e % 2 * 2 + 1]);
#pragma unroll
        for (int c = 0; c < WIDTH / 8; c += 2) {
            uint32_t b[4];

            load_matrices_turned(b, &v[j * 8 + lane % 16][c * 8 + lane / 16 * 8]);
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                multiply(o[i][c], a[i], b);
                multiply(o[i][c + 1], a[i], b + 2);
            }
        }
    }
}

__device__ static float
exp2_fast(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Scores of keys beyond a row's own don't count.
__device__ static void
mask(float (*s)[4], int row, int j0)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int j = 0; j < KEYS / 8; j++)
        for (int e = 0; e < 4; e++)
            if (j0 + j * 8 + lane % 4 * 2 + e % 2 > row + e / 2 * 8)
                s[j][e] = -INFINITY;
}

// Scores become weights relative to the largest so far; what was gathered shrinks.
template <int WIDTH>
__device__ static void
weigh(float (*s)[4], float (*o)[4], float *top, float *sum, float scale)
{
    for (int h = 0; h < 2; h++) {
        float most = top[h], keep, shift;

#pragma unroll
        for (int j = 0; j < KEYS / 8; j++)
            most = fmaxf(most, fmaxf(s[j][h * 2], s[j][h * 2 + 1]));
        most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 1));
        most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 2));
        shift = most * scale;
        keep = exp2_fast(top[h] * scale - shift); // 0 for the first keys
        top[h] = most;
        sum[h] *= keep;
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++)
            for (int e = h * 2; e < h * 2 + 2; e++) {
                s[j][e] = exp2_fast(s[j][e] * scale - shift);
                sum[h] += s[j][e];
            }
#pragma unroll
        for (int c = 0; c < WIDTH / 8; c++) {
            o[c][h * 2] *= keep;
            o[c][h * 2 + 1] *= keep;
        }
    }
}

template <int WIDTH>
__device__ static void
finish(const float (*o)[4], const float *top, float *sum, half *O, float *LSE, size_t head, int row,
       int S, int D, float scale)
{
    int lane = threadIdx.x % 32;

    for (int h = 0; h < 2; h++) {
        sum[h] += __shfl_xor_sync(0xFFFFFFFFu, sum[h], 1);
        sum[h] += __shfl_xor_sync(0xFFFFFFFFu, sum[h], 2);
        if (row + h * 8 >= S)
            continue;
#pragma unroll
        for (int c = 0; c < WIDTH / 8; c++)
            if (c * 8 < D)
                *(half2 *)&O[(head + row + h * 8) * D + c * 8 + lane % 4 * 2] =
                    __floats2half2_rn(o[c][h * 2] / sum[h], o[c][h * 2 + 1] / sum[h]);
        if (lane % 4 == 0)
            LSE[head + row + h * 8] = (top[h] * scale + log2f(sum[h])) * LN_2;
    }
}

template <int WIDTH>
__global__ void
__launch_bounds__(THREADS) attend(const half *Q, const half *K, const half *V, half *O, float *LSE,
                                  int S, int D, float scale)
{
    extern __shared__ __align__(16) char shared[];
    shared_tiles<WIDTH> *t = (shared_tiles<WIDTH> *)shared;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i0 = (gridDim.x - 1 - blockIdx.x) * ROWS;
    int row = i0 + warp * DOWN * 16 + lane / 4, end = min(S, i0 + ROWS);
    size_t head = (size_t)blockIdx.y * S;
    float o[DOWN][WIDTH / 8][4] = {}, top[DOWN][2], sum[DOWN][2] = {};

#pragma unroll
    for (int i = 0; i < DOWN; i++)
        top[i][0] = top[i][1] = -INFINITY;
    Q += head * D, K += head * D, V += head * D;
    load<WIDTH, ROWS>(t->q, Q, i0, S, D);
    load<WIDTH, KEYS>(t->k, K, 0, S, D);
    for (int j0 = 0; j0 < end; j0 += KEYS) {
        float s[DOWN][KEYS / 8][4] = {};

        __pipeline_wait_prior(0);
        __syncthreads(); // the keys are here, and the values before no longer read
        load<WIDTH, KEYS>(t->v, V, j0, S, D);
        make_scores<WIDTH>(s, t->q + warp * DOWN * 16, t->k);
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
            if (j0 + KEYS > i0)
                mask(s[i], row + i * 16, j0);
            weigh<WIDTH>(s[i], o[i], top[i], sum[i], scale);
        }
        __pipeline_wait_prior(0);
        __syncthreads(); // the values are here, and the keys no longer read
        if (j0 + KEYS < end)
            load<WIDTH, KEYS>(t->k, K, j0 + KEYS, S, D);
        add_values<WIDTH>(o, s, t->v);
    }
#pragma unroll
    for (int i = 0; i < DOWN; i++)
        finish<WIDTH>(o[i], top[i], sum[i], O, LSE, head, row + i * 16, S, D, scale);
}

template <int WIDTH>
static void
launch(const half *Q, const half *K, const half *V, half *O, float *LSE, int heads, int S, int D)
{
    int bytes = sizeof(shared_tiles<WIDTH>);

    cudaFuncSetAttribute(attend<WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    attend<WIDTH><<<dim3((S + ROWS - 1) / ROWS, heads), THREADS, bytes>>>(Q, K, V, O, LSE, S, D,
                                                                          LOG2_E / sqrtf((float)D));
}

extern "C" void
solve(const half *Q, const half *K, const half *V, half *O, float *LSE, int B, int H, int S, int D)
{
    if (D <= 64)
        launch<64>(Q, K, V, O, LSE, B * H, S, D);
    else
        launch<128>(Q, K, V, O, LSE, B * H, S, D);
}
