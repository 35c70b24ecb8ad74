// warpjudge: paged-attention
// expect: accepted
// idea: Memory is the limit, and L2 asks it for the sectors of a row in as many requests as there are
//   instructions. Let each copy say that L2 shall fetch 128 bytes at once.
// Against step 5: the asynchronous copies have a hint, L2::128B, which the library's function for them does not
// give. A hint of 256 bytes gains nothing. Blocks of a cluster that share a sequence gain another 1% for
// sequences of random lengths and nothing where all are alike. Four tiles on their way instead of three
// leave room for fewer blocks and are slower. On an H100 it takes 1.51 ms, where step 5 takes 1.55.
// H200: 1.05 ms, 1.02 times as fast as step 5
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <stdint.h>

#define WARPS 4  // of a block
#define HEADS 8  // of queries: columns of a product
#define TOKENS 16 // of a warp at a time: rows of a product
#define STAGES 3 // tokens in shared memory or on their way
#define FULL 0xFFFFFFFFu

struct sizes {
    int Hq, Hkv, D, page_size, max_pages;
};

// Where the key and the value of token t lie, in elements.
__device__ static long
place_of(const int *table, int t, int g, sizes z)
{
    int page = table[t / z.page_size];

    return (((long)page * z.page_size + t % z.page_size) * z.Hkv + g) * z.D;
}

// Rows of shared memory are 16 bytes longer than needed, so that eight of them lie in different banks.
template <int WIDTH> // D, rounded up to a multiple of 16
struct tile {
    half keys[TOKENS][WIDTH + 8], values[TOKENS][WIDTH + 8];
};

// What one warp has: of head lane / 4 the largest score, and the weights that this lane has added up;
// mixed values of columns lane / 4 and lane / 4 + 8 of each sixteen, of head lane % 4 * 2 and the next.
template <int WIDTH>
struct partial {
    float top, sum, mixed[WIDTH / 16][4];
};

__device__ static void
mma(float *sum, const uint32_t *a, uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ static void
load_matrices(uint32_t to[4], const half *at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(at)));
}

__device__ static void
load_turned(uint32_t to[4], const half *at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(at)));
}

__device__ static uint32_t
pack(float low, float high)
{
    half2 both = __floats2half2_rn(low, high);

    return *(uint32_t *)&both;
}

// Begins to copy 16 bytes, the last of them zeros, and has L2 fetch the 128 bytes in which they lie.
__device__ static void
begin_copy(half *to, const half *from, int zeros)
{
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(16 - zeros)
                 : "memory");
}

// Begins to copy the keys and values of 16 tokens from t on. Tokens behind the last are the last once
// more, and columns behind D become zeros.
template <int WIDTH>
__device__ static void
load(tile<WIDTH> *to, const half *k_pages, const half *v_pages, const int *table, int t, int length,
     int g, sizes z)
{
    int lane = threadIdx.x;
    long own = place_of(table, min(t + lane % TOKENS, length - 1), g, z);

#pragma unroll
    for (int e = 0; e < TOKENS * WIDTH / 8; e += 32) {
        int row = (e + lane) / (WIDTH / 8), d = (e + lane) % (WIDTH / 8) * 8;
        long from = __shfl_sync(FULL, own, row) + min(d, z.D - 8);
        int zeros = d < z.D ? 0 : 16;

        begin_copy(&to->keys[row][d], k_pages + from, zeros);
        begin_copy(&to->values[row][d], v_pages + from, zeros);
    }
}

// 16 tokens, of which `left` are there, are added to what the warp has. In the first product heads are
// rows, of which a tensor core has sixteen: the lower eight are zeros. Its result has the layout that
// the right factor of the second one needs.
template <int WIDTH>
__device__ static void
attend_tile(partial<WIDTH> *own, const tile<WIDTH> *from, const uint32_t query[WIDTH / 16][4], int left,
            float scale)
{
    int lane = threadIdx.x, row = lane % 8 + lane / 16 * 8, column = lane / 8 % 2 * 8;
    float s[2][4] = {}, top = own->top; // s: of tokens lane % 4 * 2 and the next, and eight behind

#pragma unroll
    for (int k = 0; k < WIDTH / 16; k++) {
        uint32_t b[4];

        load_matrices(b, &from->keys[row][k * 16 + column]);
        mma(s[0], query[k], b[0], b[1]);
        mma(s[1], query[k], b[2], b[3]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float *score = &s[i / 2][i % 2];

        *score = i / 2 * 8 + lane % 4 * 2 + i % 2 < left ? *score * scale : -INFINITY;
        top = fmaxf(top, *score);
    }
    top = fmaxf(top, __shfl_xor_sync(FULL, top, 1));
    top = fmaxf(top, __shfl_xor_sync(FULL, top, 2)); // finite: the first token is there
    float keep = exp2f(own->top - top), keeps[2];

    own->top = top;
    own->sum *= keep;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        s[i / 2][i % 2] = exp2f(s[i / 2][i % 2] - top);
        own->sum += s[i / 2][i % 2];
    }
    for (int h = 0; h < 2; h++)
        keeps[h] = __shfl_sync(FULL, keep, (lane % 4 * 2 + h) * 4);
    uint32_t weights[2] = {pack(s[0][0], s[0][1]), pack(s[1][0], s[1][1])};

#pragma unroll
    for (int c = 0; c < WIDTH / 16; c++) {
        uint32_t a[4];

#pragma unroll
        for (int e = 0; e < 4; e++)
            own->mixed[c][e] *= keeps[e % 2];
        load_turned(a, &from->values[row][c * 16 + column]);
        mma(own->mixed[c], a, weights[0], weights[1]);
    }
}

// The heads of queries as rows of a left factor; zeros where there is no such head or column.
template <int WIDTH>
__device__ static void
load_query(uint32_t query[WIDTH / 16][4], const half *q, int heads, int D)
{
    int head = threadIdx.x / 4, at = threadIdx.x % 4 * 2;

#pragma unroll
    for (int k = 0; k < WIDTH / 16; k++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int d = k * 16 + e / 2 * 8 + at;

            query[k][e] = e % 2 == 0 && head < heads && d < D
                              ? *(const uint32_t *)(q + (size_t)head * D + d)
                              : 0;
        }
}

// What the warps have goes to shared memory, which nobody needs for tiles any more, and is joined.
template <int WIDTH>
__device__ static void
finish(half *out, partial<WIDTH> own, float *memory, int heads, int D)
{
    __shared__ float tops[WARPS][HEADS], sums[WARPS][HEADS];
    int lane = threadIdx.x, warp = threadIdx.y;
    float(*mixed)[HEADS][WIDTH] = (float(*)[HEADS][WIDTH])memory;

    own.sum += __shfl_xor_sync(FULL, own.sum, 1);
    own.sum += __shfl_xor_sync(FULL, own.sum, 2);
    if (lane % 4 == 0) {
        tops[warp][lane / 4] = own.top;
        sums[warp][lane / 4] = own.sum;
    }
#pragma unroll
    for (int c = 0; c < WIDTH / 16; c++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            mixed[warp][lane % 4 * 2 + e % 2][c * 16 + e / 2 * 8 + lane / 4] = own.mixed[c][e];
    __syncthreads();
    for (int i = warp * 32 + lane; i < heads * D; i += WARPS * 32) {
        int h = i / D, d = i % D;
        float top = -INFINITY, sum = 0.0f, value = 0.0f;

        for (int w = 0; w < WARPS; w++)
            top = fmaxf(top, tops[w][h]);
        for (int w = 0; w < WARPS; w++) {
            float share = exp2f(tops[w][h] - top); // 0 for a warp that had no tokens

            sum += share * sums[w][h];
            value += share * mixed[w][h][d];
        }
        out[i] = __float2half(value / sum);
    }
}

// A block for each sequence, head of keys, and HEADS of the heads of queries that share it. Its
// warps take tokens in turn.
template <int WIDTH>
__global__ void __launch_bounds__(WARPS * 32)
attend(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
       half *out, sizes z)
{
    extern __shared__ __align__(16) char memory[];
    int group = z.Hq / z.Hkv, g = blockIdx.y, b = blockIdx.z, length = seq_lens[b];
    int heads = min(HEADS, group - (int)blockIdx.x * HEADS), step = WARPS * TOKENS;
    size_t row = (size_t)b * z.Hq + g * group + blockIdx.x * HEADS;
    const int *table = block_table + (size_t)b * z.max_pages;
    tile<WIDTH> *tiles = (tile<WIDTH> *)memory + threadIdx.y * STAGES;
    float scale = rsqrtf((float)z.D) * 1.4426950409f; // exponentials are powers of two
    uint32_t query[WIDTH / 16][4];
    partial<WIDTH> own = {-INFINITY, 0.0f, {}};

    load_query<WIDTH>(query, q + row * z.D, heads, z.D);
    for (int k = -STAGES + 1, t = threadIdx.y * TOKENS; t < length || k < 0; k++) {
        int ahead = threadIdx.y * TOKENS + (k + STAGES - 1) * step;

        __syncwarp(); // all lanes have left the tile that is overwritten
        if (ahead < length)
            load(&tiles[(k + STAGES - 1) % STAGES], k_pages, v_pages, table, ahead, length, g, z);
        __pipeline_commit();
        if (k < 0)
            continue;
        __pipeline_wait_prior(STAGES - 1);
        __syncwarp();
        attend_tile(&own, &tiles[k % STAGES], query, length - t, scale);
        t += step;
    }
    __syncthreads();
    finish(out + row * z.D, own, (float *)memory, heads, z.D);
}

template <int WIDTH>
static void
launch(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
       half *out, int B, sizes z)
{
    int bytes = WARPS * STAGES * sizeof(tile<WIDTH>), group = z.Hq / z.Hkv;

    cudaFuncSetAttribute(attend<WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    attend<WIDTH><<<dim3((group + HEADS - 1) / HEADS, z.Hkv, B), dim3(32, WARPS), bytes>>>(
        q, k_pages, v_pages, block_table, seq_lens, out, z);
}

extern "C" void
solve(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
      half *out, int B, int Hq, int Hkv, int D, int num_pages, int page_size, int max_pages)
{
    sizes z = {Hq, Hkv, D, page_size, max_pages};
    auto run = D <= 64 ? launch<64> : D <= 128 ? launch<128> : launch<256>;

    run(q, k_pages, v_pages, block_table, seq_lens, out, B, z);
}
