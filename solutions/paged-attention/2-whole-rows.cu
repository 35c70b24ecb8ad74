// warpjudge: paged-attention
// expect: accepted
// idea: Neighbouring lanes read different keys, so that each load touches a sector for every lane.
//   Let several lanes read one key together, 16 bytes each, and join their products by shuffles.
// Against step 1: neighbouring lanes read one key together, 16 bytes each. A head of 128 numbers
// takes 16 lanes, so a warp reads two keys at once, and whole sectors. A dot product is joined by
// shuffles. Each group of lanes keeps a maximum and sums of its own until the end.
// H200: 5.27 ms, 4.5 times as fast as step 1
#include <cuda_fp16.h>

#define WARPS 4 // of a block, each with a row of its own
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

// lanes: that share a token, a power of two, with eight columns each.
__global__ void
attend(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
       half *out, int rows, int lanes, sizes z)
{
    int row = blockIdx.x * WARPS + threadIdx.y, d = threadIdx.x % lanes * 8;
    float top = -INFINITY, sum = 0.0f, query[8] = {}, mixed[8] = {};

    if (row >= rows)
        return;
    int b = row / z.Hq, g = row % z.Hq / (z.Hq / z.Hkv), length = seq_lens[b];
    const int *table = block_table + b * z.max_pages;
    bool inside = d < z.D; // D may be no power of two

    if (inside)
        unpack(*(const int4 *)(q + (size_t)row * z.D + d), query);
    for (int i = 0; i < 8; i++)
        query[i] *= rsqrtf((float)z.D);
    for (int first = 0; first < length; first += 32 / lanes) {
        int t = first + threadIdx.x / lanes;
        long place = place_of(table, min(t, length - 1), g, z) + (inside ? d : 0);
        float key[8], value[8], s = 0.0f;

        unpack(*(const int4 *)(k_pages + place), key);
        unpack(*(const int4 *)(v_pages + place), value);
#pragma unroll
        for (int i = 0; i < 8; i++)
            s += query[i] * key[i]; // query is 0 where it ends
        for (int offset = 1; offset < lanes; offset *= 2)
            s += __shfl_xor_sync(FULL, s, offset);
        if (t >= length)
            s = -INFINITY;
        float new_top = fmaxf(top, s);
        float keep = new_top == top ? 1.0f : expf(top - new_top);
        float p = t < length ? expf(s - new_top) : 0.0f;

        top = new_top;
        sum = sum * keep + p;
#pragma unroll
        for (int i = 0; i < 8; i++)
            mixed[i] = mixed[i] * keep + p * value[i];
    }
    for (int offset = lanes; offset < 32; offset *= 2) {
        float other_top = __shfl_xor_sync(FULL, top, offset);
        float new_top = fmaxf(top, other_top);
        float mine = top == new_top ? 1.0f : expf(top - new_top);
        float others = other_top == new_top ? 1.0f : expf(other_top - new_top);

        top = new_top;
        sum = sum * mine + __shfl_xor_sync(FULL, sum, offset) * others;
        for (int i = 0; i < 8; i++)
            mixed[i] = mixed[i] * mine + __shfl_xor_sync(FULL, mixed[i], offset) * others;
    }
    if (inside && threadIdx.x < lanes)
        for (int i = 0; i < 8; i++)
            out[(size_t)row * z.D + d + i] = __float2half(mixed[i] / sum);
}

extern "C" void
solve(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
      half *out, int B, int Hq, int Hkv, int D, int num_pages, int page_size, int max_pages)
{
    int lanes = 1;

    while (lanes * 8 < D)
        lanes *= 2;
    attend<<<(B * Hq + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(
        q, k_pages, v_pages, block_table, seq_lens, out, B * Hq, lanes,
        {Hq, Hkv, D, page_size, max_pages});
}
