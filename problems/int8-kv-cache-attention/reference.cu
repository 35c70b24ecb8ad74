/*
 * Attention to quantized keys in double: a block for each head, THREADS keys at a time.
 * The weights are kept relative to the largest score so far; each output is rounded once.
 */
#include <stdint.h>

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
    attend(const float *Q, const int8_t *K, const int8_t *V, const float *k_scales,
           const float *v_scales, float *output, int N, int d)
{
    __shared__ double query[WIDTH_MAX], weight[THREADS];
    const int t = (int)threadIdx.x;
    const size_t h = blockIdx.x, stride = (size_t)d, row = h * N;
    const float *q = Q + h * stride, *k_scale = k_scales + row, *v_scale = v_scales + row;
    const int8_t *k = K + row * stride, *v = V + row * stride;
    float *out = output + h * stride;
    const int begin = 0, end = N;
    double top = -INFINITY, total = 0, sum[OWN] = {};

    for (int c = t; c < d; c += THREADS)
        query[c] = q[c];
    __syncthreads();
    for (int first = begin; first < end; first += THREADS) {
        int j = first + t, count = min(THREADS, end - first);
        double score = -INFINITY, higher, shrink;

        if (j < end) {
            score = 0;
            for (int c = 0; c < d; c++)
                score += query[c] * k[j * stride + c];
            score = score * k_scale[j] / sqrt((double)d);
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
                    sum[o] +=
                        weight[n] * v_scale[first + n] * v[(first + n) * stride + c];
            }
        }
        __syncthreads();
    }
    for (int o = 0; o < OWN; o++) {
        int c = t + o * THREADS;

        if (c < d)
            out[c] = (float)(sum[o] / total);
    }
}

extern "C" void
solve(const float *Q, const int8_t *K_int8, const int8_t *V_int8, const float *k_scale,
      const float *v_scale, float *output, int num_heads, int seq_len, int head_dim)
{
    attend<<<(unsigned)num_heads, THREADS>>>(Q, K_int8, V_int8, k_scale, v_scale, output,
                                             seq_len, head_dim);
}
