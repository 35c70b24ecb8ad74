/* All sums in double, each result rounded once. */
#include <math.h>
#include <stdlib.h>

static double
dot(const _Float16 *a, const _Float16 *b, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Row i of a head: what its pairs with the keys j <= i add to the three gradients, which
 * lie at `sum`, S x D each. All pointers but `sum` begin with the head. */
static void
add_row(const _Float16 *Q, const _Float16 *K, const _Float16 *V, const _Float16 *O,
        float lse, const _Float16 *dO, double *sum, long i, long S, int D)
{
    const double c = 1 / sqrt(D), delta = dot(dO + i * D, O + i * D, D);
    double *dQ = sum, *dK = dQ + S * D, *dV = dK + S * D;

    for (long j = 0; j <= i; j++) {
        double p = exp(c * dot(Q + i * D, K + j * D, D) - lse);
        double z = p * (dot(dO + i * D, V + j * D, D) - delta);

        for (int d = 0; d < D; d++) {
            dQ[i * D + d] += c * z * (double)K[j * D + d];
            dK[j * D + d] += c * z * (double)Q[i * D + d];
            dV[j * D + d] += p * (double)dO[i * D + d];
        }
    }
}

void
solve(const _Float16 *Q, const _Float16 *K, const _Float16 *V, const _Float16 *O,
      const float *LSE, const _Float16 *dO, _Float16 *dQ, _Float16 *dK, _Float16 *dV,
      int B, int H, int S, int D)
{
    const long size = (long)S * D;
    double *sum = malloc(3 * (size_t)size * sizeof *sum);

    if (!sum)
        abort();
    for (long head = 0; head < (long)B * H; head++) {
        const long at = head * size;

        for (long e = 0; e < 3 * size; e++)
            sum[e] = 0;
        for (long i = 0; i < S; i++)
            add_row(Q + at, K + at, V + at, O + at, LSE[head * S + i], dO + at, sum, i, S,
                    D);
        for (long e = 0; e < size; e++) {
            dQ[at + e] = (_Float16)sum[e];
            dK[at + e] = (_Float16)sum[size + e];
            dV[at + e] = (_Float16)sum[2 * size + e];
        }
    }
    free(sum);
}
