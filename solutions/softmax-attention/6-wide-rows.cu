// warpjudge: softmax-attention
// expect: accepted
// idea: Each load from shared memory serves few products, and loads from memory are waited for.
//   Give each thread more results, and let asynchronous copies bring keys while the values are
//   multiplied, and the other way round.
// More products for each load: a thread makes 8 x 4 scores, and 8 x 8 of the output. Shared
// memory holds everything as it is in memory, so that asynchronous copies can bring it: four
// neighbours of a row are read at once instead of four of a column. The next keys come while the
// values are multiplied, and the values while the keys are.
// H200: 1.75 ms, 1.29 times as fast as step 5
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define ROWS 128 // queries of a block
#define KEYS 64  // of a tile
#define WIDEST 128
#define PAD 4
#define THREADS 256 // 16 x 16: rows ty + 16 * r, keys tx + 16 * s, columns tx * 4 + 64 * h
#define OWN (ROWS / 16)

struct shared_tiles {
    float q[ROWS][WIDEST + PAD], k[KEYS][WIDEST + PAD], v[KEYS][WIDEST], p[ROWS][KEYS + PAD];
};

// Begins to copy COUNT rows from `first` on; beyond the end, zeros. ALIGNED: all rows begin at 16
// bytes, and their length is a multiple of 4.
template <bool ALIGNED, int COUNT, int PITCH>
__device__ static void
load(float (*to)[PITCH], const float *from, int first, int rows, int width)
{
    const int EACH = ALIGNED ? 4 : 1, CHUNKS = WIDEST / EACH;

#pragma unroll 8
    for (int e = 0; e < COUNT * CHUNKS / THREADS; e++) {
        int r = threadIdx.x / CHUNKS + e * (THREADS / CHUNKS), c = threadIdx.x % CHUNKS * EACH;
        bool inside = first + r < rows && c < width;

        __pipeline_memcpy_async(&to[r][c], inside ? &from[(size_t)(first + r) * width + c] : from,
                                EACH * 4, inside ? 0 : EACH * 4);
    }
    __pipeline_commit();
}

__device__ static float
dot(float4 a, float4 b, float sum)
{
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ static void
make_scores(float s[OWN][4], const shared_tiles *t, int tx, int ty, int d)
{
#pragma unroll 2
    for (int c = 0; c < d; c += 4) {
        float4 k[4];

#pragma unroll
        for (int j = 0; j < 4; j++)
            k[j] = *(const float4 *)&t->k[tx + 16 * j][c];
#pragma unroll
        for (int r = 0; r < OWN; r++) {
            float4 q = *(const float4 *)&t->q[ty + 16 * r][c];

#pragma unroll
            for (int j = 0; j < 4; j++)
                s[r][j] = dot(q, k[j], s[r][j]);
        }
    }
}

// The largest, or the sum, of the 16 threads that share queries.
__device__ static float
row_max(float value)
{
    for (int offset = 8; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset));
    return value;
}

__device__ static float
row_sum(float value)
{
    for (int offset = 8; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value;
}

__device__ static float
exp2_fast(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Scores become weights relative to the largest so far, in shared memory; the sums shrink.
__device__ static void
weigh(shared_tiles *t, float s[OWN][4], float sum[OWN][8], float *top, float *total, int tx, int ty,
      int keys, float scale)
{
#pragma unroll
    for (int r = 0; r < OWN; r++) {
        float most = top[r], share = 0.0f, keep;

#pragma unroll
        for (int j = 0; j < 4; j++) {
            s[r][j] = tx + 16 * j < keys ? s[r][j] * scale : -INFINITY;
            most = fmaxf(most, s[r][j]);
        }
        most = row_max(most);
        keep = exp2_fast(top[r] - most); // 0 for the first keys
        top[r] = most;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float weight = exp2_fast(s[r][j] - most);

            share += weight;
            t->p[ty + 16 * r][tx + 16 * j] = weight;
        }
        total[r] = total[r] * keep + share;
#pragma unroll
        for (int c = 0; c < 8; c++)
            sum[r][c] *= keep;
    }
}

__device__ static void
add_values(float sum[OWN][8], const shared_tiles *t, int tx, int ty)
{
#pragma unroll 2
    for (int j = 0; j < KEYS; j += 4) {
        float4 v[4][2];

#pragma unroll
        for (int e = 0; e < 4; e++)
            for (int h = 0; h < 2; h++)
                v[e][h] = *(const float4 *)&t->v[j + e][tx * 4 + 64 * h];
#pragma unroll
        for (int r = 0; r < OWN; r++) {
            float4 p = *(const float4 *)&t->p[ty + 16 * r][j];
            float weight[4] = {p.x, p.y, p.z, p.w};

#pragma unroll
            for (int e = 0; e < 4; e++)
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    sum[r][h * 4] += weight[e] * v[e][h].x;
                    sum[r][h * 4 + 1] += weight[e] * v[e][h].y;
                    sum[r][h * 4 + 2] += weight[e] * v[e][h].z;
                    sum[r][h * 4 + 3] += weight[e] * v[e][h].w;
                }
        }
    }
}

template <bool ALIGNED>
__global__ void
__launch_bounds__(THREADS, 1) attend(const float *Q, const float *K, const float *V, float *output,
                                     int M, int N, int d, float scale)
{
    extern __shared__ __align__(16) char shared[];
    shared_tiles *t = (shared_tiles *)shared;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, i0 = blockIdx.x * ROWS;
    float sum[OWN][8] = {}, top[OWN], total[OWN] = {};

    for (int r = 0; r < OWN; r++)
        top[r] = -INFINITY;
    load<ALIGNED, ROWS>(t->q, Q, i0, M, d);
    load<ALIGNED, KEYS>(t->k, K, 0, N, d);
    for (int j0 = 0; j0 < N; j0 += KEYS) {
        float s[OWN][4] = {};

        __pipeline_wait_prior(0);
        __syncthreads(); // k is here, and v and p are no longer read
        load<ALIGNED, KEYS>(t->v, V, j0, N, d);
        make_scores(s, t, tx, ty, d);
        weigh(t, s, sum, top, total, tx, ty, N - j0, scale);
        __pipeline_wait_prior(0);
        __syncthreads(); // v and p are here, and k is no longer read
        load<ALIGNED, KEYS>(t->k, K, j0 + KEYS, N, d);
        add_values(sum, t, tx, ty);
    }
    for (int r = 0; r < OWN; r++) {
        int i = i0 + ty + 16 * r;
        float whole = row_sum(total[r]);

        for (int c = 0; c < 8 && i < M; c++) {
            int column = tx * 4 + c % 4 + c / 4 * 64;

            if (column < d)
                output[(size_t)i * d + column] = sum[r][c] / whole;
        }
    }
    __pipeline_wait_prior(0);
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    int bytes = sizeof(shared_tiles);
    float scale = 1.4426950408889634f / sqrtf((float)d); // of scores for powers of two
    auto *kernel = d % 4 == 0 ? attend<true> : attend<false>;

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<(M + ROWS - 1) / ROWS, THREADS, bytes>>>(Q, K, V, output, M, N, d, scale);
}
