// warpjudge: softmax-attention
// expect: accepted
// idea: Tensor cores are faster than the other units, but they round each factor to eleven bits. Write each number as
//   the sum of two such numbers, and make three products of each pair.
// Two numbers of two parts each have four products. That of the two low parts is too small to count. Each of eight
// warps owns 16 queries and all 64 keys of a tile, and its weights stay in registers from one product to the next.
// Which columns or keys make a step of the sum is free, as long as both factors agree. A lane takes neighbours, so
// that it can load four at once, and so that its weights are just those that it must multiply.
// An H100 takes 1.21 ms, where step 6 takes 1.73.
// H200: 1.22 ms, 1.44 times as fast as step 6
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define ROWS 128 // queries of a block
#define KEYS 64 // of a tile
#define THREADS 256 // eight warps, for 16 queries each
#define STEPS (KEYS / 8)

template <int WIDTH> struct shared_tiles {
    float q[ROWS][WIDTH + 16]; // pitches for which loads of 16 bytes meet all banks
    float k[KEYS][WIDTH + 16], v[KEYS][WIDTH + 4];
};

// Begins to copy COUNT rows from `first` on; beyond the end, zeros. ALIGNED: all rows begin at 16
// bytes, and their length is a multiple of 4.
template <bool ALIGNED, int WIDTH, int COUNT, int PITCH>
__device__ static void
load(float (*to)[PITCH], const float *from, int first, int rows, int width)
{
    const int EACH = ALIGNED ? 4 : 1, CHUNKS = WIDTH / EACH;

#pragma unroll 8
    for (int e = threadIdx.x; e < COUNT * CHUNKS; e += THREADS) {
        int r = e / CHUNKS, c = e % CHUNKS * EACH;
        bool inside = first + r < rows && c < width;

        __pipeline_memcpy_async(&to[r][c], inside ? &from[(size_t)(first + r) * width + c] : from, EACH * 4,
                                inside ? 0 : EACH * 4);
    }
    __pipeline_commit();
}

// x is about high + low, of eleven bits each: tensor cores don't look at the lowest thirteen bits.
__device__ static void
split(float x, uint32_t &high, uint32_t &low)
{
    high = (__float_as_uint(x) + 0x1000) & 0xFFFFE000;
    low = __float_as_uint(x - __uint_as_float(high));
}

// sum (16 x 8) += a (16 x 8) * b (8 x 8)
__device__ static void
multiply(float *sum, const uint32_t *a, const uint32_t *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A factor of 16 x 8 or 8 x 8, in two parts.
template <int COUNT> struct factor {
    uint32_t high[COUNT], low[COUNT];
};

// Four neighbouring sums, each of the three products that count; the smallest come first.
__device__ static void
add_products(float (*sum)[4], const factor<4> *a, const factor<2> *b)
{
#pragma unroll
    for (int n = 0; n < 4; n++)
        multiply(sum[n], a->low, b[n].high);
#pragma unroll
    for (int n = 0; n < 4; n++)
        multiply(sum[n], a->high, b[n].low);
#pragma unroll
    for (int n = 0; n < 4; n++)
        multiply(sum[n], a->high, b[n].high);
}

// Which columns make a step of eight is free: a lane takes four neighbours, and two of them for each
// of two steps.
template <int WIDTH>
__device__ static void
make_scores(float (*s)[4], const float (*q)[WIDTH + 16], const float (*k)[WIDTH + 16], int d)
{
    int row = threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 4;

#pragma unroll 1
    for (int c = 0; c < d; c += 16) {
        factor<4> a[2];

#pragma unroll
        for (int h = 0; h < 2; h++) {
            float4 x = *(const float4 *)&q[h * 8 + row][c + column];

            split(x.x, a[0].high[h], a[0].low[h]);
            split(x.y, a[0].high[h + 2], a[0].low[h + 2]);
            split(x.z, a[1].high[h], a[1].low[h]);
            split(x.w, a[1].high[h + 2], a[1].low[h + 2]);
        }
#pragma unroll
        for (int j = 0; j < STEPS; j += 4) {
            factor<2> b[2][4];

#pragma unroll
            for (int n = 0; n < 4; n++) {
                float4 x = *(const float4 *)&k[(j + n) * 8 + row][c + column];

                split(x.x, b[0][n].high[0], b[0][n].low[0]);
                split(x.y, b[0][n].high[1], b[0][n].low[1]);
                split(x.z, b[1][n].high[0], b[1][n].low[0]);
                split(x.w, b[1][n].high[1], b[1][n].low[1]);
            }
            add_products(s + j, &a[0], b[0]);
            add_products(s + j, &a[1], b[1]);
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

// What a thread knows of its two rows, eight apart: the largest score so far, and its share of the sum.
struct rows {
    float top[2], sum[2];
};

// Scores become weights relative to the largest so far; what was gathered shrinks.
template <int WIDTH>
__device__ static void
weigh(float (*s)[4], float (*o)[4], rows *r, int keys, float scale)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float most = r->top[h], share = 0.0f, keep;

#pragma unroll
        for (int j = 0; j < STEPS; j++)
#pragma unroll
            for (int e = h * 2; e < h * 2 + 2; e++) {
                s[j][e] = j * 8 + threadIdx.x % 4 * 2 + e % 2 < keys ? s[j][e] * scale : -INFINITY;
                most = fmaxf(most, s[j][e]);
            }
        most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 1));
        most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 2));
        keep = exp2_fast(r->top[h] - most); // 0 for the first keys
        r->top[h] = most;
#pragma unroll
        for (int j = 0; j < STEPS; j++)
#pragma unroll
            for (int e = h * 2; e < h * 2 + 2; e++) {
                s[j][e] = exp2_fast(s[j][e] - most);
                share += s[j][e];
            }
        r->sum[h] = r->sum[h] * keep + share;
#pragma unroll
        for (int c = 0; c < WIDTH / 8; c++) {
            o[c][h * 2] *= keep;
            o[c][h * 2 + 1] *= keep;
        }
    }
}

// The order of keys within a step of eight is free, too: a lane's weights are of two neighbours, and
// it takes just these rows of V, four columns each for four sums.
template <int WIDTH>
__device__ static void
add_values(float (*o)[4], const float (*p)[4], const float (*v)[WIDTH + 4])
{
    int row = threadIdx.x % 4 * 2, column = threadIdx.x % 32 / 4 * 4;

#pragma unroll
    for (int j = 0; j < STEPS; j++) {
        factor<4> a;

#pragma unroll
        for (int e = 0; e < 4; e++)
            split(p[j][e], a.high[e % 2 * 2 + e / 2], a.low[e % 2 * 2 + e / 2]);
#pragma unroll
        for (int c = 0; c < WIDTH / 8; c += 4) {
            factor<2> b[4];

#pragma unroll
            for (int e = 0; e < 2; e++) {
                float4 x = *(const float4 *)&v[j * 8 + row + e][c * 8 + column];

                split(x.x, b[0].high[e], b[0].low[e]);
                split(x.y, b[1].high[e], b[1].low[e]);
                split(x.z, b[2].high[e], b[2].low[e]);
                split(x.w, b[3].high[e], b[3].low[e]);
            }
            add_products(o + c, &a, b);
        }
    }
}

template <bool ALIGNED, int WIDTH>
__device__ static void
store(float *output, const float (*o)[4], const rows *r, int first, int M, int d)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        int row = first + h * 8 + threadIdx.x % 32 / 4;
        float sum = r->sum[h];

        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 2);
        if (row >= M)
            continue;
#pragma unroll
        for (int c = 0; c < WIDTH / 8; c += 4)
#pragma unroll
            for (int e = h * 2; e < h * 2 + 2; e++) {
                int column = c * 8 + threadIdx.x % 4 * 8 + e % 2 * 4;
                float *to = &output[(size_t)row * d + column];

                if (ALIGNED && column < d)
                    *(float4 *)to = make_float4(o[c][e] / sum, o[c + 1][e] / sum, o[c + 2][e] / sum, o[c + 3][e] / sum);
                for (int n = 0; n < 4 && !ALIGNED; n++)
                    if (column + n < d)
                        to[n] = o[c + n][e] / sum;
            }
    }
}

template <bool ALIGNED, int WIDTH>
__global__ void
__launch_bounds__(THREADS, 1)
    attend(const float *Q, const float *K, const float *V, float *output, int M, int N, int d, float scale)
{
    extern __shared__ __align__(16) char shared[];
    shared_tiles<WIDTH> *t = (shared_tiles<WIDTH> *)shared;
    int i0 = blockIdx.x * ROWS, own = threadIdx.x / 32 * 16;
    float o[WIDTH / 8][4] = {};
    rows r = {{-INFINITY, -INFINITY}, {0.0f, 0.0f}};

    load<ALIGNED, WIDTH, ROWS>(t->q, Q, i0, M, d);
    load<ALIGNED, WIDTH, KEYS>(t->k, K, 0, N, d);
    for (int j0 = 0; j0 < N; j0 += KEYS) {
        float s[STEPS][4] = {};

        __pipeline_wait_prior(0);
        __syncthreads(); // k is here, and v no longer read
        load<ALIGNED, WIDTH, KEYS>(t->v, V, j0, N, d);
        make_scores<WIDTH>(s, t->q + own, t->k, d);
        weigh<WIDTH>(s, o, &r, N - j0, scale);
        __pipeline_wait_prior(0);
        __syncthreads(); // v is here, and k no longer read
        load<ALIGNED, WIDTH, KEYS>(t->k, K, j0 + KEYS, N, d);
        add_values<WIDTH>(o, s, t->v);
    }
    __pipeline_wait_prior(0);
    store<ALIGNED, WIDTH>(output, o, &r, i0 + own, M, d);
}

template <bool ALIGNED, int WIDTH>
static void
launch(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    int bytes = sizeof(shared_tiles<WIDTH>);
    float scale = 1.4426950408889634f / sqrtf((float)d); // of scores for powers of two

    cudaFuncSetAttribute(attend<ALIGNED, WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    attend<ALIGNED, WIDTH><<<(M + ROWS - 1) / ROWS, THREADS, bytes>>>(Q, K, V, output, M, N, d, scale);
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    auto *run = d % 4 == 0 ? d <= 64 ? launch<true, 64> : launch<true, 128>
                           : d <= 64 ? launch<false, 64> : launch<false, 128>;

    run(Q, K, V, output, M, N, d);
}
