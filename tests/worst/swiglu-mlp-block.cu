// warpjudge: swiglu-mlp-block
// One thread does everything, in double.
__global__ void
serial(const float *x, const float *W_gate, const float *W_up, const float *W_down,
       float *output, int M, int d_model, int d_ffn)
{
    double *g = (double *)malloc((size_t)d_ffn * sizeof *g), *u = (double *)malloc((size_t)d_ffn * sizeof *u);
    double *out = (double *)malloc((size_t)d_model * sizeof *out);

    if (!g || !u || !out)
        __trap();
    for (long i = 0; i < M; i++) {
        for (long f = 0; f < d_ffn; f++)
            g[f] = u[f] = 0;
        for (long k = 0; k < d_model; k++) {
            const double xk = x[i * d_model + k];

            for (long f = 0; f < d_ffn; f++)
                g[f] += xk * W_gate[k * d_ffn + f];
            for (long f = 0; f < d_ffn; f++)
                u[f] += xk * W_up[k * d_ffn + f];
        }
        for (long c = 0; c < d_model; c++)
            out[c] = 0;
        for (long f = 0; f < d_ffn; f++) {
            const double hidden = g[f] / (1 + exp(-g[f])) * u[f];

            for (long c = 0; c < d_model; c++)
                out[c] += hidden * W_down[f * d_model + c];
        }
        for (long c = 0; c < d_model; c++)
            output[i * d_model + c] = (float)out[c];
    }
    free(g);
    free(u);
    free(out);
}

extern "C" void
solve(const float *x, const float *W_gate, const float *W_up, const float *W_down,
      float *output, int M, int d_model, int d_ffn)
{
    serial<<<1, 1>>>(x, W_gate, W_up, W_down, output, M, d_model, d_ffn);
}
