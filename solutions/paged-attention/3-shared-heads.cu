// warpjudge: paged-attention
// expect: accepted
// idea: Several heads of queries use the same keys and values, and each reads them from memory
//   again. Let one block serve all heads that share them.
// Against step 2: the four heads of queries that share keys and values are one block's work, so that
// these are read once instead of four times. Its warps take tokens in turn, each has a maximum
// and sums for every head, and at the end the block joins them.
// H200: 3.56 ms, 1.48 times as fast as step 2
#include <cuda_fp16.h>

#define WARPS 4   // of a block
#define HEADS 4   // of queries
#define AT_ONCE 1 // tokens of a group of lanes
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

__device__ static void
unpack(int4 eight, float *to)
{
    const half2 *pair = (const half2 *)&eight;

#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 two = __half22float2(pair[i]);

        to[2 * i] = two.x;
        to[2 * i + 1] = two.y;
    }
}

// One of the parts that a group of lanes has of a row: a maximum, and what is relative to it.
struct partial {
    float top, sum, mixed[8];
};

__device__ static void
join(partial *a, float top, float sum, const float *mixed)
{
    float new_top = fmaxf(a->top, top);
    float mine = a->top == new_top ? 1.0f : expf(a->top - new_top);
    float others = top == new_top ? 1.0f : expf(top - new_top);

    a->top = new_top;
    a->sum = a->sum * mine + sum * others;
#pragma unroll
    for (int i = 0; i < 8; i++)
        a->mixed[i] = a->mixed[i] * mine + mixed[i] * others;
}

// Joined with what the other groups of lanes have.
__device__ static void
join_lanes(partial *own, int lanes)
{
    for (int offset = lanes; offset < 32; offset *= 2) {
        float mixed[8];

#pragma unroll
        for (int i = 0; i < 8; i++)
            mixed[i] = __shfl_xor_sync(FULL, own->mixed[i], offset);
        join(own, __shfl_xor_sync(FULL, own->top, offset), __shfl_xor_sync(FULL, own->sum, offset),
             mixed);
    }
}

// AT_ONCE tokens for each group of lanes: their values, and their scores for each head.
__device__ static void
score(const half *k_pages, const half *v_pages, const int *table, int t, int length, int g, int d,
      int lanes, sizes z, const float query[HEADS][8], float s[AT_ONCE][HEADS], int4 value[AT_ONCE])
{
    int4 key[AT_ONCE];

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        long place = place_of(table, min(t + u * (32 / lanes), length - 1), g, z) + min(d, z.D - 8);

        key[u] = *(const int4 *)(k_pages + place);
        value[u] = *(const int4 *)(v_pages + place);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        float numbers[8];

        unpack(key[u], numbers);
#pragma unroll
        for (int h = 0; h < HEADS; h++) {
            s[u][h] = 0.0f;
#pragma unroll
            for (int i = 0; i < 8; i++)
                s[u][h] += query[h][i] * numbers[i]; // query is 0 where a head ends
            for (int offset = 1; offset < lanes; offset *= 2)
                s[u][h] += __shfl_xor_sync(FULL, s[u][h], offset);
            if (t + u * (32 / lanes) >= length)
                s[u][h] = -INFINITY;
        }
    }
}

// The tokens' values are added to what a head has, by their scores.
__device__ static void
mix(partial *own, const float s[AT_ONCE][HEADS], int h, const float value[AT_ONCE][8])
{
    float top = own->top;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++)
        top = fmaxf(top, s[u][h]);
    float keep = own->top == top ? 1.0f : expf(own->top - top);

    own->top = top;
    own->sum *= keep;
#pragma unroll
    for (int i = 0; i < 8; i++)
        own->mixed[i] *= keep;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        float p = s[u][h] == -INFINITY ? 0.0f : expf(s[u][h] - top);

        own->sum += p;
#pragma unroll
        for (int i = 0; i < 8; i++)
            own->mixed[i] += p * value[u][i];
    }
}

// A block for each sequence, head of keys, and HEADS of the heads of queries that share it. Its
// warps take tokens in turn. lanes: that share a token, a power of two, with eight columns each.
__global__ void __launch_bounds__(WARPS * 32)
attend(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
       half *out, int lanes, sizes z)
{
    __shared__ partial parts[WARPS][HEADS][32];
    int group = z.Hq / z.Hkv, g = blockIdx.y, b = blockIdx.z, h0 = g * group + blockIdx.x * HEADS;
    int heads = min(HEADS, group - (int)blockIdx.x * HEADS), length = seq_lens[b];
    int lane = threadIdx.x, warp = threadIdx.y, d = lane % lanes * 8;
    int step = AT_ONCE * (32 / lanes);
    const int *table = block_table + b * z.max_pages;
    float query[HEADS][8] = {};
    partial own[HEADS];

#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        own[h] = {-INFINITY, 0.0f, {}};
        if (h < heads && d < z.D)
            unpack(*(const int4 *)(q + ((size_t)b * z.Hq + h0 + h) * z.D + d), query[h]);
#pragma unroll
        for (int i = 0; i < 8; i++)
            query[h][i] *= rsqrtf((float)z.D);
    }
    for (int first = warp * step; first < length; first += WARPS * step) {
        float s[AT_ONCE][HEADS], numbers[AT_ONCE][8];
        int4 value[AT_ONCE];

        score(k_pages, v_pages, table, first + lane / lanes, length, g, d, lanes, z, query, s, value);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            unpack(value[u], numbers[u]);
#pragma unroll
        for (int h = 0; h < HEADS; h++)
            mix(&own[h], s, h, numbers);
    }
#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        join_lanes(&own[h], lanes);
        parts[warp][h][lane] = own[h];
    }
    __syncthreads();
    if (lane >= lanes || d >= z.D)
        return;
    for (int h = warp; h < heads; h += WARPS) {
        partial all = parts[0][h][lane];

        for (int w = 1; w < WARPS; w++)
            join(&all, parts[w][h][lane].top, parts[w][h][lane].sum, parts[w][h][lane].mixed);
        for (int i = 0; i < 8; i++)
            out[((size_t)b * z.Hq + h0 + h) * z.D + d + i] = __float2half(all.mixed[i] / all.sum);
    }
}

extern "C" void
solve(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
      half *out, int B, int Hq, int Hkv, int D, int num_pages, int page_size, int max_pages)
{
    int lanes = 1, group = Hq / Hkv;

    while (lanes * 8 < D)
        lanes *= 2;
    attend<<<dim3((group + HEADS - 1) / HEADS, Hkv, B), dim3(32, WARPS)>>>(
        q, k_pages, v_pages, block_table, seq_lens, out, lanes, {Hq, Hkv, D, page_size, max_pages});
}
