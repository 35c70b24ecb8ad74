// warpjudge: kv-cache-decode-attention
// expect: accepted
// Three kernels: store, scores, softmax with the weighted sum.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
store(const __half *k_new, const __half *v_new, __half *k_cache, __half *v_cache,
      const int *pos, int Hkv, int Tmax, int D)
{
    int d = threadIdx.x, row = blockIdx.x;
    size_t to = ((size_t)row * Tmax + pos[row / Hkv]) * D + d;

    k_cache[to] = k_new[row * D + d];
    v_cache[to] = v_new[row * D + d];
}

__global__ void
scores(const __half *q, const __half *k_cache, const int *pos, float *S, int Hq, int Hkv,
       int Tmax, int D)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    int b = row / Hq, g = row % Hq / (Hq / Hkv);

    if (t <= pos[b]) {
        const __half *k = k_cache + (((size_t)b * Hkv + g) * Tmax + t) * D;
        float dot = 0.0f;

        for (int d = 0; d < D; d++)
            dot += __half2float(q[row * D + d]) * __half2float(k[d]);
        S[(size_t)row * Tmax + t] = dot / sqrtf((float)D);
    }
}

// One block for each query: its softmax and the weighted sum, a thread for each column.
__global__ void
combine(const __half *v_cache, const int *pos, const float *S, __half *out, int Hq,
        int Hkv, int Tmax, int D)
{
    int d = threadIdx.x, row = blockIdx.x;
    int b = row / Hq, g = row % Hq / (Hq / Hkv);
    const float *s = S + (size_t)row * Tmax;
    const __half *v = v_cache + ((size_t)b * Hkv + g) * Tmax * D + d;
    float top = -INFINITY, total = 0.0f, sum = 0.0f;

    for (int t = 0; t <= pos[b]; t++)
        top = fmaxf(top, s[t]);
    for (int t = 0; t <= pos[b]; t++) {
        float weight = expf(s[t] - top);

        total += weight;
        sum += weight * __half2float(v[(size_t)t * D]);
    }
    out[row * D + d] = __float2half(sum / total);
}

extern "C" void
solve(const __half *q, const __half *k_new, const __half *v_new, __half *k_cache,
      __half *v_cache, const int *pos, __half *out, int B, int Hq, int Hkv, int Tmax,
      int D)
{
    dim3 places((Tmax + 127) / 128, B * Hq);
    float *S;

    cudaMalloc(&S, (size_t)B * Hq * Tmax * sizeof(float));
    store<<<B * Hkv, D>>>(k_new, v_new, k_cache, v_cache, pos, Hkv, Tmax, D);
    scores<<<places, 128>>>(q, k_cache, pos, S, Hq, Hkv, Tmax, D);
    combine<<<B * Hq, D>>>(v_cache, pos, S, out, Hq, Hkv, Tmax, D);
    cudaFree(S);
}
