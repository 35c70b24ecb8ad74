// warpjudge: paged-attention
// expect: accepted
// idea: The table of pages says where the key and the value of each token lie. Give each sequence
//   and head a warp, a token to each lane, and rescale what was gathered when the maximum grows.
// A warp for each sequence and head of queries. It takes 32 tokens at a time, a token a lane, and
// rescales what it has gathered when the maximum grows; each lane owns every 32nd column of the
// output. Keys of neighbouring lanes lie a row apart, so a load of 2 bytes touches 32 sectors.
// H200: 23.9 ms
#include <cuda_fp16.h>

#define WARPS 4
#define OWN 8 // columns of a lane: D is at most 256

__global__ void
attend(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
       half *out, int B, int Hq, int Hkv, int D, int page_size, int max_pages)
{
    int lane = threadIdx.x, row = blockIdx.x * WARPS + threadIdx.y;
    float top = -INFINITY, sum = 0.0f, mixed[OWN] = {};

    if (row >= B * Hq)
        return;
    int b = row / Hq, g = row % Hq / (Hq / Hkv), length = seq_lens[b];
    const half *query = q + (size_t)row * D;

    for (int first = 0; first < length; first += 32) {
        int t = first + lane;
        long place = 0;
        float s = -INFINITY;

        if (t < length) {
            int page = block_table[b * max_pages + t / page_size];

            place = (((long)page * page_size + t % page_size) * Hkv + g) * D;
            s = 0.0f;
            for (int d = 0; d < D; d++)
                s += __half2float(query[d]) * __half2float(k_pages[place + d]);
            s *= rsqrtf((float)D);
        }
        float tile_top = s;

        for (int offset = 16; offset > 0; offset /= 2)
            tile_top = fmaxf(tile_top, __shfl_xor_sync(0xFFFFFFFFu, tile_top, offset));
        tile_top = fmaxf(tile_top, top);
        float keep = expf(top - tile_top); // 0 for the first tokens
        float p = expf(s - tile_top);

        top = tile_top;
        sum = sum * keep + p;
        for (int o = 0; o < OWN; o++)
            mixed[o] *= keep;
        for (int k = 0; k < 32 && first + k < length; k++) {
            float weight = __shfl_sync(0xFFFFFFFFu, p, k);
            long from = __shfl_sync(0xFFFFFFFFu, place, k);

            for (int o = 0; o < OWN; o++)
                if (lane + 32 * o < D)
                    mixed[o] += weight * __half2float(v_pages[from + lane + 32 * o]);
        }
    }
    // Each lane has rescaled its own part of the sum all along by the same factors.
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, offset);
    for (int o = 0; o < OWN; o++)
        if (lane + 32 * o < D)
            out[(size_t)row * D + lane + 32 * o] = __float2half(mixed[o] / sum);
}

extern "C" void
solve(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
      half *out, int B, int Hq, int Hkv, int D, int num_pages, int page_size, int max_pages)
{
    attend<<<(B * Hq + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(q, k_pages, v_pages, block_table, seq_lens, out, B, Hq,
                                                              Hkv, D, page_size, max_pages);
}
