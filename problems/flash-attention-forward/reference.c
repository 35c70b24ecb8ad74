/* Causal attention in double, each result rounded once. */
#include <math.h>
#include <stdlib.h>

/* Row i of one head: what it takes from rows 0..i. Returns the log-sum-exp of its scores.
 */
static double
attend(const _Float16 *q, const _Float16 *K, const _Float16 *V, _Float16 *o,
       double *score, long i, long D)
{
    double top = -INFINITY, sum = 0;

    for (long j = 0; j <= i; j++) {
        score[j] = 0;
        for (long d = 0; d < D; d++)
            score[j] += (double)q[d] * (double)K[j * D + d];
        score[j] /= sqrt((double)D);
        top = score[j] > top ? score[j] : top;
    }
    for (long j = 0; j <= i; j++) {
        score[j] = exp(score[j] - top);
        sum += score[j];
    }
    for (long d = 0; d < D; d++) {
        double mixed = 0;

        for (long j = 0; j <= i; j++)
            mixed += score[j] * (double)V[j * D + d];
        o[d] = (_Float16)(mixed / sum);
    }
    return top + log(sum);
}

void
solve(const _Float16 *Q, const _Float16 *K, const _Float16 *V, _Float16 *O, float *LSE,
      int B, int H, int S, int D)
{
    double *score = malloc((size_t)S * sizeof *score);

    if (!score)
        abort();
    for (long head = 0; head < (long)B * H; head++)
        for (long i = 0; i < S; i++) {
            long rows = head * S, row = rows + i;

            LSE[row] = (float)attend(Q + row * D, K + rows * D, V + rows * D, O + row * D,
                                     score, i, D);
        }
    free(score);
}
