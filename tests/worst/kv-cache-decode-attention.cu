// warpjudge: kv-cache-decode-attention
// One thread does everything, in double.
#include <cuda_fp16.h>
#define WIDTH_MAX 256

/* One query against `count` keys. */
__device__ void
attend(const __half *q, const __half *k, const __half *v, __half *out, long count,
       int d)
{
    double query[WIDTH_MAX], top = -INFINITY, total = 0, sum[WIDTH_MAX] = {0};

    for (int c = 0; c < d; c++)
        query[c] = (double)(float)q[c];
    for (long t = 0; t < count; t++) {
        double score = 0, weight;

        for (int c = 0; c < d; c++)
            score += query[c] * (double)(float)k[t * d + c];
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
            sum[c] += weight * (double)(float)v[t * d + c];
    }
    for (int c = 0; c < d; c++)
        out[c] = (__half)(sum[c] / total);
}

__global__ void
serial(const __half *q, const __half *k_new, const __half *v_new, __half *k_cache,
       __half *v_cache, const int *pos, __half *out, int B, int Hq, int Hkv, int Tmax, int D)
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

extern "C" void
solve(const __half *q, const __half *k_new, const __half *v_new, __half *k_cache,
      __half *v_cache, const int *pos, __half *out, int B, int Hq, int Hkv, int Tmax, int D)
{
    serial<<<1, 1>>>(q, k_new, v_new, k_cache, v_cache, pos, out, B, Hq, Hkv, Tmax, D);
}
