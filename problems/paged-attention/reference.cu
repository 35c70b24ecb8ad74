/*
 * A block for each sequence and head of queries, in double, each result rounded once. It takes KEYS
 * tokens at a time with a running maximum and sum: eight threads for each token's score, then a thread
 * for each column of the values. All sums are taken in the same order every time.
 */
#include <cuda_fp16.h>

#define THREADS 256
#define LANES 8 /* threads for a score */
#define KEYS (THREADS / LANES)

__global__ static void __launch_bounds__(THREADS)
attend(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
       half *out, int Hq, int Hkv, int D, int page_size, int max_pages)
{
    __shared__ double query[THREADS], part[THREADS], score[KEYS];
    __shared__ size_t place[KEYS];
    const int t = (int)threadIdx.x, length = seq_lens[blockIdx.y];
    const size_t row = (size_t)blockIdx.y * Hq + blockIdx.x, g = blockIdx.x / (unsigned)(Hq / Hkv);
    double mixed = 0, top = -INFINITY, sum = 0;

    if (t < D)
        query[t] = __half2float(q[row * D + t]) / sqrt((double)D);
    for (int first = 0; first < length; first += KEYS) {
        int count = min(KEYS, length - first), key = t / LANES;
        double tile_top = top, dot = 0, keep;

        __syncthreads(); /* before places and scores are written again, and after the query is */
        if (t < count) {
            int page = block_table[(size_t)blockIdx.y * max_pages + (first + t) / page_size];

            place[t] = (((size_t)page * page_size + (first + t) % page_size) * Hkv + g) * D;
        }
        __syncthreads();
        for (int d = t % LANES; key < count && d < D; d += LANES)
            dot += query[d] * (double)__half2float(k_pages[place[key] + d]);
        part[t] = dot;
        __syncthreads();
        if (t < count) {
            score[t] = 0;
            for (int lane = 0; lane < LANES; lane++)
                score[t] += part[t * LANES + lane];
        }
        __syncthreads();
        for (int k = 0; k < count; k++)
            tile_top = fmax(tile_top, score[k]);
        __syncthreads(); /* before the scores become weights */
        if (t < count)
            score[t] = exp(score[t] - tile_top);
        __syncthreads();
        keep = exp(top - tile_top); /* 0 for the first tokens, where top is -infinity */
        mixed *= keep;
        sum *= keep;
        for (int k = 0; k < count; k++) {
            sum += score[k];
            if (t < D)
                mixed += score[k] * (double)__half2float(v_pages[place[k] + t]);
        }
        top = tile_top;
    }
    if (t < D)
        out[row * D + t] = __double2half(mixed / sum);
}

extern "C" void
solve(const half *q, const half *k_pages, const half *v_pages, const int *block_table, const int *seq_lens,
      half *out, int B, int Hq, int Hkv, int D, int num_pages, int page_size, int max_pages)
{
    attend<<<dim3((unsigned)Hq, (unsigned)B), THREADS>>>(q, k_pages, v_pages, block_table, seq_lens, out, Hq, Hkv, D,
                                                         page_size, max_pages);
}
