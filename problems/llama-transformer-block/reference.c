/* The block step by step in double, rounded once at the end. */
#include <math.h>
#include <stdlib.h>

#define WIDTH 512
#define HEADS 8
#define KV_HEADS 2
#define GROUP (HEADS / KV_HEADS)
#define HEAD 64
#define HALF (HEAD / 2)
#define KV_WIDTH (KV_HEADS * HEAD)
#define HIDDEN 1408

/* Where the parts of the weights are. */
#define NORM1 0
#define W_Q 512
#define W_K 262656
#define W_V 328192
#define W_O 393728
#define NORM2 655872
#define W_GATE 656384
#define W_UP 1377280
#define W_DOWN 2098176

static double *
rows_of(int N, int width)
{
    double *rows = calloc((size_t)N * (size_t)width, sizeof *rows);

    if (!rows)
        abort();
    return rows;
}

static void
rms_norm(const double *x, const float *scale, double *y, int N)
{
    for (long t = 0; t < N; t++, x += WIDTH, y += WIDTH) {
        double squares = 0;

        for (int c = 0; c < WIDTH; c++)
            squares += x[c] * x[c];
        for (int c = 0; c < WIDTH; c++)
            y[c] = x[c] / sqrt(squares / WIDTH + 1e-5) * scale[c];
    }
}

/* y += x W^T */
static void
add_linear(const double *x, const float *W, double *y, int N, int in, int out)
{
    for (long t = 0; t < N; t++, x += in, y += out)
        for (long o = 0; o < out; o++)
            for (long i = 0; i < in; i++)
                y[o] += x[i] * W[o * in + i];
}

/* Every head of every token: element j of its first half with element j of its second. */
static void
rotate(double *z, const float *cosines, const float *sines, int N, int width)
{
    for (long t = 0; t < N; t++) {
        for (double *head = z + t * width; head < z + (t + 1) * width; head += HEAD) {
            for (long j = 0; j < HALF; j++) {
                const double c = cosines[t * HALF + j], s = sines[t * HALF + j];
                const double a = head[j], b = head[j + HALF];

                head[j] = a * c - b * s;
                head[j + HALF] = a * s + b * c;
            }
        }
    }
}

/* One query and head over the first `count` tokens. k and v: its columns of row 0. */
static void
attend(const double *q, const double *k, const double *v, double *out, long count)
{
    double top = -INFINITY, total = 0;

    for (int c = 0; c < HEAD; c++)
        out[c] = 0;
    for (long j = 0; j < count; j++) {
        double score = 0, weight;

        for (int c = 0; c < HEAD; c++)
            score += q[c] * k[j * KV_WIDTH + c];
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
            out[c] += weight * v[j * KV_WIDTH + c];
    }
    for (int c = 0; c < HEAD; c++)
        out[c] /= total;
}

void
solve(const float *x, float *output, const float *weights, const float *cos,
      const float *sin, int seq_len)
{
    const float *w = weights;
    const int N = seq_len;
    double *h = rows_of(N, WIDTH), *n = rows_of(N, WIDTH), *q = rows_of(N, WIDTH);
    double *k = rows_of(N, KV_WIDTH), *v = rows_of(N, KV_WIDTH);
    double *g = rows_of(N, HIDDEN), *u = rows_of(N, HIDDEN);

    for (long i = 0; i < (long)N * WIDTH; i++)
        h[i] = x[i];
    rms_norm(h, w + NORM1, n, N);
    add_linear(n, w + W_Q, q, N, WIDTH, WIDTH);
    add_linear(n, w + W_K, k, N, WIDTH, KV_WIDTH);
    add_linear(n, w + W_V, v, N, WIDTH, KV_WIDTH);
    rotate(q, cos, sin, N, WIDTH);
    rotate(k, cos, sin, N, KV_WIDTH);
    for (long i = 0; i < N; i++) {
        for (long head = 0; head < HEADS; head++) {
            const long at = i * WIDTH + head * HEAD, shared = head / GROUP * HEAD;

            attend(q + at, k + shared, v + shared, n + at, i + 1);
        }
    }
    add_linear(n, w + W_O, h, N, WIDTH, WIDTH);
    rms_norm(h, w + NORM2, n, N);
    add_linear(n, w + W_GATE, g, N, WIDTH, HIDDEN);
    add_linear(n, w + W_UP, u, N, WIDTH, HIDDEN);
    for (long i = 0; i < (long)N * HIDDEN; i++)
        g[i] = g[i] / (1 + exp(-g[i])) * u[i];
    add_linear(g, w + W_DOWN, h, N, HIDDEN, WIDTH);
    for (long i = 0; i < (long)N * WIDTH; i++)
        output[i] = (float)h[i];
    free(h);
    free(n);
    free(q);
    free(k);
    free(v);
    free(g);
    free(u);
}
