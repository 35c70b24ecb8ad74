/* Scores, softmax and sum in double; rounded once. */
#include <math.h>
#include <stdlib.h>

void
solve(const _Float16 *q, const _Float16 *k_pages, const _Float16 *v_pages,
      const int *block_table, const int *seq_lens, _Float16 *out, int B, int Hq, int Hkv,
      int D, int num_pages, int page_size, int max_pages)
{
    double *score = malloc((size_t)max_pages * (size_t)page_size * sizeof *score);
    double *mixed = malloc((size_t)D * sizeof *mixed);

    (void)num_pages;
    if (!score || !mixed)
        abort();
    for (long row = 0; row < (long)B * Hq; row++) {
        const long b = row / Hq, g = row % Hq / (Hq / Hkv);
        const int *table = block_table + b * max_pages;
        double top = -INFINITY, sum = 0;

        for (int t = 0; t < seq_lens[b]; t++) {
            const _Float16 *k =
                k_pages +
                (((long)table[t / page_size] * page_size + t % page_size) * Hkv + g) * D;

            score[t] = 0;
            for (int d = 0; d < D; d++)
                score[t] += (double)q[row * D + d] * (double)k[d];
            score[t] /= sqrt(D);
            top = fmax(top, score[t]);
        }
        for (int d = 0; d < D; d++)
            mixed[d] = 0;
        for (int t = 0; t < seq_lens[b]; t++) {
            const _Float16 *v =
                v_pages +
                (((long)table[t / page_size] * page_size + t % page_size) * Hkv + g) * D;
            double weight = exp(score[t] - top);

            sum += weight;
            for (int d = 0; d < D; d++)
                mixed[d] += weight * (double)v[d];
        }
        for (int d = 0; d < D; d++)
            out[row * D + d] = (_Float16)(mixed[d] / sum);
    }
    free(mixed);
    free(score);
}
