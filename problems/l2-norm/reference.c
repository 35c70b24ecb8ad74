/* Norm and quotient in double, each rounded once. */
#include <math.h>

void
solve(const float *input, float *output, float *norm, int M, int N, float eps)
{
    for (long r = 0; r < M; r++) {
        const float *row = input + r * N;
        double sum = 0, length;

        for (long c = 0; c < N; c++)
            sum += (double)row[c] * row[c];
        length = sqrt(sum);
        norm[r] = (float)length;
        for (long c = 0; c < N; c++)
            output[r * N + c] = (float)(row[c] / fmax(length, eps));
    }
}
