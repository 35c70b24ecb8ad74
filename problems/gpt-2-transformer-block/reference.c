/* The block step by step in double, rounded once at the end. */
#include <math.h>
#include <stdlib.h>

#define WIDTH 768
#define QKV (3 * WIDTH)
#define HEADS 12
#define HEAD 64
#define HIDDEN 3072

/* Where the parts of the weights are. */
#define GAMMA1 0
#define BETA1 768
#define W_QKV 1536
#define B_QKV 1771008
#define W_O 1773312
#define B_O 2363136
#define GAMMA2 2363904
#define BETA2 2364672
#define W_FC 2365440
#define B_FC 4724736
#define W_PROJ 4727808
#define B_PROJ 7087104

static double *
rows_of(int N, int width)
{
    double *rows = calloc((size_t)N * (size_t)width, sizeof *rows);

    if (!rows)
        abort();
    return rows;
}

static void
layer_norm(const double *x, const float *gamma, const float *beta, double *y, int N)
{
    for (long t = 0; t < N; t++, x += WIDTH, y += WIDTH) {
        double mean = 0, variance = 0;

        for (int c = 0; c < WIDTH; c++)
            mean += x[c] / WIDTH;
        for (int c = 0; c < WIDTH; c++)
            variance += (x[c] - mean) * (x[c] - mean) / WIDTH;
        for (int c = 0; c < WIDTH; c++)
            y[c] = (x[c] - mean) / sqrt(variance + 1e-5) * gamma[c] + beta[c];
    }
}

/* y = x W + bias */
static void
linear(const double *x, const float *W, const float *bias, double *y, int N, int in,
       int out)
{
    for (long t = 0; t < N; t++, x += in, y += out) {
        for (int c = 0; c < out; c++)
            y[c] = bias[c];
        for (long r = 0; r < in; r++)
            for (int c = 0; c < out; c++)
                y[c] += x[r] * W[r * out + c];
    }
}

/* One query and head: out = softmax of the scores, times V. k and v: its columns of row
 * 0. */
static void
attend(const double *q, const double *k, const double *v, double *out, int N)
{
    double top = -INFINITY, total = 0;

    for (int c = 0; c < HEAD; c++)
        out[c] = 0;
    for (long j = 0; j < N; j++) {
        double score = 0, weight;

        for (int c = 0; c < HEAD; c++)
            score += q[c] * k[j * QKV + c];
        score /= 8;
        if (score > top) {
            double shrink = exp(top - score);

            total *= shrink;
            for (int c = 0; c < HEAD; c++)
                out[c] *= shrink;
            top = score;
        }
        weight = exp(score - top);
        total += weight;
        for (int c = 0; c < HEAD; c++)
            out[c] += weight * v[j * QKV + c];
    }
    for (int c = 0; c < HEAD; c++)
        out[c] /= total;
}

static double
gelu(double u)
{
    return 0.5 * u * (1 + tanh(sqrt(2 / M_PI) * (u + 0.044715 * u * u * u)));
}

void
solve(const float *x, float *output, const float *weights, int seq_len)
{
    const float *w = weights;
    const int N = seq_len;
    const long count = (long)N * WIDTH;
    double *h = rows_of(N, WIDTH), *n = rows_of(N, WIDTH), *p = rows_of(N, WIDTH);
    double *qkv = rows_of(N, QKV), *u = rows_of(N, HIDDEN);

    for (long i = 0; i < count; i++)
        h[i] = x[i];
    layer_norm(h, w + GAMMA1, w + BETA1, n, N);
    linear(n, w + W_QKV, w + B_QKV, qkv, N, WIDTH, QKV);
    for (long i = 0; i < N; i++) {
        for (long head = 0; head < HEADS; head++) {
            const double *k = qkv + WIDTH + head * HEAD;

            attend(qkv + i * QKV + head * HEAD, k, k + WIDTH, n + i * WIDTH + head * HEAD,
                   N);
        }
    }
    linear(n, w + W_O, w + B_O, p, N, WIDTH, WIDTH);
    for (long i = 0; i < count; i++)
        h[i] += p[i];
    layer_norm(h, w + GAMMA2, w + BETA2, n, N);
    linear(n, w + W_FC, w + B_FC, u, N, WIDTH, HIDDEN);
    for (long i = 0; i < (long)N * HIDDEN; i++)
        u[i] = gelu(u[i]);
    linear(u, w + W_PROJ, w + B_PROJ, p, N, HIDDEN, WIDTH);
    for (long i = 0; i < count; i++)
        output[i] = (float)(h[i] + p[i]);
    free(h);
    free(n);
    free(p);
    free(qkv);
    free(u);
}
