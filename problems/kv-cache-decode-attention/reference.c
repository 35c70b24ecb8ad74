/* The new token into the cache; then attention in double, each output rounded once to
 * half. */
#include <math.h>
#include <string.h>

#define WIDTH_MAX 256

/* One query against `count` keys. */
static void
attend(const _Float16 *q, const _Float16 *k, const _Float16 *v, _Float16 *out, long count,
       int d)
{
    double query[WIDTH_MAX], top = -INFINITY, total = 0, sum[WIDTH_MAX] = {0};

    for (int c = 0; c < d; c++)
        query[c] = (double)q[c];
    for (long t = 0; t < count; t++) {
        double score = 0, weight;

        for (int c = 0; c < d; c++)
            score += query[c] * (double)k[t * d + c];
        score = score / sqrt(d);
        if (score > top) {
            double shrink = exp(top - score);

            total *= shrink;
            for (int c = 0; c < d; c++)
                sum[c] *= shrink;
            top = score;
        }
        weight = exp(score - top);
        total += weight;
        for (int c = 0; c < d; c++)
            sum[c] += weight * (double)v[t * d + c];
    }
    for (int c = 0; c < d; c++)
        out[c] = (_Float16)(sum[c] / total);
}

void
solve(const _Float16 *q, const _Float16 *k_new, const _Float16 *v_new, _Float16 *k_cache,
      _Float16 *v_cache, const int *pos, _Float16 *out, int B, int Hq, int Hkv, int Tmax,
      int D)
{
    const size_t row_bytes = (size_t)D * sizeof *q;

    for (long row = 0; row < (long)B * Hkv; row++) {
        const long to = (row * Tmax + pos[row / Hkv]) * D;

        memcpy(k_cache + to, k_new + row * D, row_bytes);
        memcpy(v_cache + to, v_new + row * D, row_bytes);
    }
    for (long row = 0; row < (long)B * Hq; row++) {
        const long b = row / Hq, g = row % Hq / (Hq / Hkv), at = (b * Hkv + g) * Tmax * D;

        attend(q + row * D, k_cache + at, v_cache + at, out + row * D, pos[b] + 1L, D);
    }
}
