// warpjudge: attention-with-sinks
// One thread does everything, in double.
#define WIDTH_MAX 128

/* One query of width d against the keys below `sinks` and recent .. end-1; rows of k and
 * v are `stride` apart. */
__device__ void
attend(const float *q, const float *k, const float *v, float *out, long stride, int d,
       int sinks, int recent, int end)
{
    double top = -INFINITY, total = 0, sum[WIDTH_MAX] = {0};

    for (long j = 0; j < end; j++) {
        double score = 0, weight;

        if (j >= sinks && j < recent)
            continue;
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
serial(const float *Q, const float *K, const float *V, float *output, int M, int d,
       int num_sinks, int window_size)
{
    for (int i = 0; i < M; i++) {
        int recent = i < window_size ? 0 : i - window_size + 1;
        long at = (long)i * d;

        attend(Q + at, K, V, output + at, d, d, num_sinks, recent, i + 1);
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int d,
      int num_sinks, int window_size)
{
    serial<<<1, 1>>>(Q, K, V, output, M, d, num_sinks, window_size);
}
