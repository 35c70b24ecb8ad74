// warpjudge: kv-cache-decode-attention
// expect: wrong_answer
// Every sequence is as long as the first one: pos[0] for all of them.
#include <cuda_fp16.h>

__global__ void attend(const half *q, const half *k_new, const half *v_new, half *k_cache, half *v_cache, const int *pos,
                       half *out, int B, int Hq, int Hkv, int Tmax, int D)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= B * Hq)
        return;
    int b = row / Hq, g = row % Hq / (Hq / Hkv), last = pos[0];
    const half *k = k_cache + (size_t)(b * Hkv + g) * Tmax * D, *v = v_cache + (size_t)(b * Hkv + g) * Tmax * D;
    float top = -INFINITY, sum = 0, mixed[256];

    for (int d = 0; d < D; d++)
        mixed[d] = 0;
    for (int t = 0; t <= last; t++) {
        float score = 0;

        for (int d = 0; d < D; d++)
            score += (float)q[row * D + d] * (float)k[t * D + d];
        score /= sqrtf((float)D);
        float most = fmaxf(top, score), shrink = expf(top - most), weight = expf(score - most);

        sum = sum * shrink + weight;
        for (int d = 0; d < D; d++)
            mixed[d] = mixed[d] * shrink + weight * (float)v[t * D + d];
        top = most;
    }
    for (int d = 0; d < D; d++)
        out[row * D + d] = (half)(mixed[d] / sum);
}

__global__ void store(const half *k_new, const half *v_new, half *k_cache, half *v_cache, const int *pos, int rows,
                      int Hkv, int Tmax, int D)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / D;

    if (row >= rows)
        return;
    size_t to = ((size_t)row * Tmax + pos[row / Hkv]) * D + i % D;
    k_cache[to] = k_new[i];
    v_cache[to] = v_new[i];
}

extern "C" void
solve(const half *q, const half *k_new, const half *v_new, half *k_cache, half *v_cache, const int *pos, half *out,
      int B, int Hq, int Hkv, int Tmax, int D)
{
    store<<<(B * Hkv * D + 255) / 256, 256>>>(k_new, v_new, k_cache, v_cache, pos, B * Hkv, Hkv, Tmax, D);
    attend<<<(B * Hq + 31) / 32, 32>>>(q, k_new, v_new, k_cache, v_cache, pos, out, B, Hq, Hkv, Tmax, D);
}
