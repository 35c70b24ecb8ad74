// warpjudge: paged-attention
// One thread does everything, in double.
#include <cuda_fp16.h>

__global__ void
serial(const __half *q, const __half *k_pages, const __half *v_pages, const int *block_table,
       const int *seq_lens, __half *out, int B, int Hq, int Hkv, int D, int num_pages,
       int page_size, int max_pages)
{
    double *score = (double *)malloc((size_t)max_pages * (size_t)page_size * sizeof *score);
    double *mixed = (double *)malloc((size_t)D * sizeof *mixed);

    (void)num_pages;
    if (!score || !mixed)
        __trap();
    for (long row = 0; row < (long)B * Hq; row++) {
        const long b = row / Hq, g = row % Hq / (Hq / Hkv);
        const int *table = block_table + b * max_pages;
        double top = -INFINITY, sum = 0;

        for (int t = 0; t < seq_lens[b]; t++) {
            const __half *k =
                k_pages +
                (((long)table[t / page_size] * page_size + t % page_size) * Hkv + g) * D;

            score[t] = 0;
            for (int d = 0; d < D; d++)
                score[t] += (double)(float)q[row * D + d] * (double)(float)k[d];
            score[t] /= sqrt(D);
            top = fmax(top, score[t]);
        }
        for (int d = 0; d < D; d++)
            mixed[d] = 0;
        for (int t = 0; t < seq_lens[b]; t++) {
            const __half *v =
                v_pages +
                (((long)table[t / page_size] * page_size + t % page_size) * Hkv + g) * D;
            double weight = exp(score[t] - top);

            sum += weight;
            for (int d = 0; d < D; d++)
                mixed[d] += weight * (double)(float)v[d];
        }
        for (int d = 0; d < D; d++)
            out[row * D + d] = (__half)(mixed[d] / sum);
    }
    free(mixed);
    free(score);
}

extern "C" void
solve(const __half *q, const __half *k_pages, const __half *v_pages, const int *block_table,
      const int *seq_lens, __half *out, int B, int Hq, int Hkv, int D, int num_pages,
      int page_size, int max_pages)
{
    serial<<<1, 1>>>(q, k_pages, v_pages, block_table, seq_lens, out, B, Hq, Hkv, D, num_pages,
                     page_size, max_pages);
}
