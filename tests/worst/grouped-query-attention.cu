// warpjudge: grouped-query-attention
// One thread does everything, in double.
#define WIDTH_MAX 256

/* One query of width d against the keys begin .. end-1; rows of k and v are `stride`
 * apart. */
__device__ void
attend(const float *q, const float *k, const float *v, float *out, long stride, int d,
       int begin, int end)
{
    double top = -INFINITY, total = 0, sum[WIDTH_MAX] = {0};

    for (long j = begin; j < end; j++) {
        double score = 0, weight;

        for (int c = 0; c < d; c++)
            score += (double)q[c] * k[j * stride + c];
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
            sum[c] += weight * v[j * stride + c];
    }
    for (int c = 0; c < d; c++)
        out[c] = (float)(sum[c] / total);
}

__global__ void
serial(const float *Q, const float *K, const float *V, float *output, int num_q_heads,
       int num_kv_heads, int seq_len, int head_dim)
{
    const int group = num_q_heads / num_kv_heads;
    const long head_size = (long)seq_len * head_dim;

    for (int h = 0; h < num_q_heads; h++) {
        const float *k = K + h / group * head_size, *v = V + h / group * head_size;

        for (long i = 0; i < seq_len; i++) {
            long at = h * head_size + i * head_dim;

            attend(Q + at, k, v, output + at, head_dim, head_dim, 0, seq_len);
        }
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int num_q_heads,
      int num_kv_heads, int seq_len, int head_dim)
{
    serial<<<1, 1>>>(Q, K, V, output, num_q_heads, num_kv_heads, seq_len, head_dim);
}
