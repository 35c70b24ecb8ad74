/* One step of gradient descent. Sums are in double; what the statement rounds to half
 * precision is rounded where it says so, and each result once. */
#include <stdlib.h>

/* fp16 of a real number. Through float, as a kernel with float sums does it. */
static double
half(double x)
{
    return (double)(_Float16)(float)x;
}

/* Row b of the scaled gradient of the output; returns the row's sum of squared errors. */
static double
forward(const _Float16 *x, const _Float16 *target, const double *Wh, const float *bias,
        double *g, long K, long N, double factor)
{
    double squares = 0;

    for (long n = 0; n < N; n++) {
        double y = bias[n], e;

        for (long k = 0; k < K; k++)
            y += (double)x[k] * Wh[n * K + k];
        e = half(y) - (double)target[n];
        squares += e * e;
        g[n] = half(e * factor);
    }
    return squares;
}

void
solve(const _Float16 *X, const _Float16 *target, float *W, float *bias, float *loss,
      int B, int K, int N, float lr, float loss_scale)
{
    size_t k = (size_t)K, n = (size_t)N;
    double *room = calloc(2 * n * k + 2 * n, sizeof *room), squares = 0;
    double *Wh = room, *dW = Wh + n * k, *db = dW + n * k, *g = db + n;

    if (!room)
        abort();
    for (size_t i = 0; i < n * k; i++)
        Wh[i] = half(W[i]);
    for (size_t b = 0; b < (size_t)B; b++) {
        squares +=
            forward(X + b * k, target + b * n, Wh, bias, g, K, N, (double)loss_scale / B);
        for (size_t i = 0; i < n; i++) {
            db[i] += g[i];
            for (size_t j = 0; j < k; j++)
                dW[i * k + j] += g[i] * (double)X[b * k + j];
        }
    }
    for (size_t i = 0; i < n * k; i++)
        W[i] = (float)(W[i] - lr * (dW[i] / loss_scale));
    for (size_t i = 0; i < n; i++)
        bias[i] = (float)(bias[i] - lr * (db[i] / loss_scale));
    loss[0] = (float)(squares / (2.0 * B));
    free(room);
}
