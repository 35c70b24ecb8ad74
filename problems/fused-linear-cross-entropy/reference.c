/* Scores, loss and gradients in double, a row of scores at a time; each result is rounded
 * once. */
#include <math.h>
#include <stdlib.h>

/* Makes row x's scores of the V classes into its softmax; returns the row's loss. */
static double
softmax(const float *x, const float *W, double *p, long D, long V, long label)
{
    double top = -INFINITY, sum = 0, mine;

    for (long v = 0; v < V; v++) {
        p[v] = 0;
        for (long d = 0; d < D; d++)
            p[v] += (double)x[d] * W[v * D + d];
        top = p[v] > top ? p[v] : top;
    }
    mine = p[label] - top;
    for (long v = 0; v < V; v++) {
        p[v] = exp(p[v] - top);
        sum += p[v];
    }
    for (long v = 0; v < V; v++)
        p[v] /= sum;
    return log(sum) - mine;
}

void
solve(const float *X, const float *W, const int *labels, float *loss, float *dX,
      float *dW, int N, int D, int V)
{
    size_t d = (size_t)D, v = (size_t)V;
    double *room = calloc(v + d + v * d, sizeof *room), total = 0;
    double *g = room, *row = g + v,
           *sum = row + d; /* g: first probabilities, then gradients */

    if (!room)
        abort();
    for (size_t n = 0; n < (size_t)N; n++) {
        for (size_t i = 0; i < d; i++)
            row[i] = 0;
        if (labels[n] >= 0) {
            total += softmax(X + n * d, W, g, D, V, labels[n]);
            g[labels[n]] -= 1;
            for (size_t c = 0; c < v; c++)
                for (size_t i = 0; i < d; i++) {
                    row[i] += g[c] * W[c * d + i];
                    sum[c * d + i] += g[c] * X[n * d + i];
                }
        }
        for (size_t i = 0; i < d; i++)
            dX[n * d + i] = (float)row[i];
    }
    for (size_t i = 0; i < v * d; i++)
        dW[i] = (float)sum[i];
    loss[0] = (float)total;
    free(room);
}
