// warpjudge: decaying-causal-attention
// One thread does everything, in double.
#define WIDTH_MAX 256

__global__ void
serial(const float *Q, const float *K, const float *V, float *output, int seq_len, int d_model,
       float gamma)
{
    const double scale = 1 / sqrt(d_model);
    const int d = d_model;

    for (long n = 0; n < seq_len; n++) {
        double sum[WIDTH_MAX] = {0}, power = 1; /* gamma^(n - m) */

        for (long m = n; m >= 0; m--) {
            double weight = 0;

            for (int t = 0; t < d; t++)
                weight += (double)Q[n * d + t] * K[m * d + t];
            weight *= power * scale;
            for (int c = 0; c < d; c++)
                sum[c] += weight * V[m * d + c];
            power *= gamma;
        }
        for (int c = 0; c < d; c++)
            output[n * d + c] = (float)sum[c];
    }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int seq_len, int d_model,
      float gamma)
{
    serial<<<1, 1>>>(Q, K, V, output, seq_len, d_model, gamma);
}
