/*
 * The new token into the cache; then attention in double: a block for each query, THREADS
 * keys at a time. The weights are kept relative to the largest score so far; each output
 * is rounded once.
 */
#include <cuda_fp16.h>

#define THREADS 128
#define WIDTH_MAX 256
#define OWN (WIDTH_MAX / THREADS)

/* The maximum over the block, in every thread. */
__device__ static double
block_max(double value)
{
    __shared__ double tree[THREADS];
    const unsigned t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = fmax(tree[t], tree[t + half]);
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

__global__ static void
__launch_bounds__(THREADS)
    attend(const __half *queries, const __half *k_cache, const __half *v_cache,
           const int *pos, __half *output, int Hq, int Hkv, int Tmax, int d)
{
    __shared__ double query[WIDTH_MAX], weight[THREADS];
    const int t = (int)threadIdx.x;
    const size_t row = blockIdx.x, stride = (size_t)d;
    const size_t b = row / Hq, g = row % Hq / (Hq / Hkv),
                 at = (b * Hkv + g) * Tmax * stride;
    const __half *q = queries + row * stride, *k = k_cache + at, *v = v_cache + at;
    __half *out = output + row * stride;
    const int begin = 0, end = pos[b] + 1;
    double top = -INFINITY, total = 0, sum[OWN] = {};

    for (int c = t; c < d; c += THREADS)
        query[c] = __half2float(q[c]);
    __syncthreads();
    for (int first = begin; first < end; first += THREADS) {
        int j = first + t, count = min(THREADS, end - first);
        double score = -INFINITY, higher, shrink;

        if (j < end) {
            score = 0;
            for (int c = 0; c < d; c++)
                score += query[c] * __half2float(k[j * stride + c]);
            score = score / sqrt((double)d);
        }
        higher = fmax(top, block_max(score));
        shrink = top == -INFINITY ? 0 : exp(top - higher);
        weight[t] = score == -INFINITY ? 0 : exp(score - higher);
        __syncthreads();
        top = higher;
        total *= shrink;
        for (int o = 0; o < OWN; o++)
            sum[o] *= shrink;
        for (int n = 0; n < count; n++) {
            total += weight[n];
            for (int o = 0; o < OWN; o++) {
                int c = t + o * THREADS;

                if (c < d)
                    sum[o] += weight[n] * __half2float(v[(first + n) * stride + c]);
            }
        }
        __syncthreads();
    }
    for (int o = 0; o < OWN; o++) {
        int c = t + o * THREADS;

        if (c < d)
            out[c] = __double2half(sum[o] / total);
    }
}

__global__ static void
store(const __half *k_new, const __half *v_new, __half *k_cache, __half *v_cache,
      const int *pos, int Hkv, int Tmax)
{
    const size_t row = blockIdx.x, d = threadIdx.x, D = blockDim.x;
    const size_t to = (row * Tmax + pos[row / Hkv]) * D + d;

    k_cache[to] = k_new[row * D + d];
    v_cache[to] = v_new[row * D + d];
}

extern "C" void
solve(const __half *q, const __half *k_new, const __half *v_new, __half *k_cache,
      __half *v_cache, const int *pos, __half *out, int B, int Hq, int Hkv, int Tmax,
      int D)
{
    store<<<(unsigned)(B * Hkv), (unsigned)D>>>(k_new, v_new, k_cache, v_cache, pos, Hkv,
                                                Tmax);
    attend<<<(unsigned)(B * Hq), THREADS>>>(q, k_cache, v_cache, pos, out, Hq, Hkv, Tmax,
                                            D);
}
