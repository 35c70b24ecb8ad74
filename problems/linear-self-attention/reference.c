/* Linear attention in double: the sums over the keys first; each output is rounded once.
 */
#include <math.h>

#define WIDTH_MAX 128

static double
feature(double x)
{
    return x > 0 ? x + 1 : exp(x);
}

void
solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
    static double S[WIDTH_MAX][WIDTH_MAX], z[WIDTH_MAX];

    for (int a = 0; a < d; a++) {
        z[a] = 0;
        for (int b = 0; b < d; b++)
            S[a][b] = 0;
    }
    for (long j = 0; j < M; j++) {
        for (int a = 0; a < d; a++) {
            double key = feature(K[j * d + a]);

            z[a] += key;
            for (int b = 0; b < d; b++)
                S[a][b] += key * V[j * d + b];
        }
    }
    for (long i = 0; i < M; i++) {
        double above[WIDTH_MAX] = {0}, below = 0;

        for (int a = 0; a < d; a++) {
            double query = feature(Q[i * d + a]);

            below += query * z[a];
            for (int b = 0; b < d; b++)
                above[b] += query * S[a][b];
        }
        for (int b = 0; b < d; b++)
            output[i * d + b] = (float)(above[b] / below);
    }
}
