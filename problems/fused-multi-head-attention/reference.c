/* The whole block in double, rounded once at the end. */
#include <math.h>
#include <stdlib.h>

/* out[t][r] = b[r] + sum over e of w[r][e] * in[t][e] */
static void
linear(const double *in, const float *w, const float *b, double *out, long tokens,
       long from, long to)
{
    for (long t = 0; t < tokens; t++)
        for (long r = 0; r < to; r++) {
            double sum = b[r];

            for (long e = 0; e < from; e++)
                sum += w[r * from + e] * in[t * from + e];
            out[t * to + r] = sum;
        }
}

/* One head of one token: q, k and v are its first columns, rows are `stride` apart. */
static void
attend(const double *q, const double *k, const double *v, double *score, double *out,
       long S, long D, long stride)
{
    double top = -INFINITY, sum = 0;

    for (long j = 0; j < S; j++) {
        score[j] = 0;
        for (long d = 0; d < D; d++)
            score[j] += q[d] * k[j * stride + d];
        score[j] /= sqrt((double)D);
        top = score[j] > top ? score[j] : top;
    }
    for (long d = 0; d < D; d++)
        out[d] = 0;
    for (long j = 0; j < S; j++) {
        double weight = exp(score[j] - top);

        sum += weight;
        for (long d = 0; d < D; d++)
            out[d] += weight * v[j * stride + d];
    }
    for (long d = 0; d < D; d++)
        out[d] /= sum;
}

void
solve(const float *x, const float *W_qkv, const float *b_qkv, const float *W_o,
      const float *b_o, float *y, int S, int E, int H)
{
    long s = S, w = E, D = E / H;
    double *room = malloc((size_t)(6 * s * w + s) * sizeof *room);
    double *in = room, *u = in + s * w, *o = u + 3 * s * w, *out = o + s * w;
    double *score = out + s * w;

    if (!room)
        abort();
    for (long i = 0; i < s * w; i++)
        in[i] = x[i];
    linear(in, W_qkv, b_qkv, u, s, w, 3 * w);
    for (long t = 0; t < s; t++)
        for (long h = 0; h < H; h++)
            attend(u + t * 3 * w + h * D, u + w + h * D, u + 2 * w + h * D, score,
                   o + t * w + h * D, s, D, 3 * w);
    linear(o, W_o, b_o, out, s, w, w);
    for (long i = 0; i < s * w; i++)
        y[i] = (float)out[i];
    free(room);
}
