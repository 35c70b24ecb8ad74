// warpjudge: fused-multi-head-attention
// Step by step in double: a thread for each column of a linear layer, then for each head.
__global__ void
widen(const float *x, double *in, int count)
{
    for (int i = 0; i < count; i++)
        in[i] = x[i];
}

/* A thread for each output, tokens on the inner axis. */
__global__ void
linear(const double *in, const float *w, const float *b, double *out, int tokens, int from, int to)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, t = at % tokens, r = at / tokens;
    double sum;

    if (r >= to)
        return;
    sum = b[r];
    for (int e = 0; e < from; e++)
        sum += w[r * from + e] * in[t * from + e];
    out[t * to + r] = sum;
}

/* A thread for each token of a head. */
__global__ void
attend(const double *qkv, double *out, int S, int E, int D)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, t = at % S, h = at / S;
    const double *q = qkv + t * 3 * E + h * D, *k = qkv + E + h * D, *v = k + E;
    double top = -INFINITY, sum = 0;

    if (h >= E / D)
        return;
    for (int pass = 0; pass < 3; pass++)
        for (int j = 0; j < S; j++) {
            double score = 0;

            for (int d = 0; d < D; d++)
                score += q[d] * k[j * 3 * E + d];
            score /= sqrt((double)D);
            if (pass == 0)
                top = fmax(top, score);
            if (pass == 1)
                sum += exp(score - top);
            for (int d = 0; pass == 2 && d < D; d++)
                out[t * E + h * D + d] = (j ? out[t * E + h * D + d] : 0) + exp(score - top) / sum * v[j * 3 * E + d];
        }
}

__global__ void
narrow(const double *out, float *y, int count)
{
    for (int i = 0; i < count; i++)
        y[i] = (float)out[i];
}

extern "C" void
solve(const float *x, const float *W_qkv, const float *b_qkv, const float *W_o, const float *b_o, float *y, int S,
      int E, int H)
{
    double *in, *qkv, *mixed;

    cudaMalloc(&in, sizeof(double) * S * E);
    cudaMalloc(&qkv, sizeof(double) * S * 3 * E);
    cudaMalloc(&mixed, sizeof(double) * S * E);
    widen<<<1, 1>>>(x, in, S * E);
    linear<<<(S * 3 * E + 255) / 256, 256>>>(in, W_qkv, b_qkv, qkv, S, E, 3 * E);
    attend<<<(S * H + 255) / 256, 256>>>(qkv, mixed, S, E, E / H);
    linear<<<(S * E + 255) / 256, 256>>>(mixed, W_o, b_o, in, S, E, E);
    narrow<<<1, 1>>>(in, y, S * E);
    cudaFree(in);
    cudaFree(qkv);
    cudaFree(mixed);
}
