/* Column sums in double, row by row; each output is rounded once. */
#include <math.h>

#define FEATURES_MAX 1024

void
solve(const float *input, const float *gamma, const float *beta, float *output, int N,
      int C, float eps)
{
    double mean[FEATURES_MAX] = {0}, scale[FEATURES_MAX] = {0};

    for (long i = 0; i < N; i++)
        for (int j = 0; j < C; j++)
            mean[j] += input[i * C + j];
    for (int j = 0; j < C; j++)
        mean[j] /= N;
    for (long i = 0; i < N; i++) {
        for (int j = 0; j < C; j++) {
            double x = input[i * C + j] - mean[j];

            scale[j] += x * x;
        }
    }
    for (int j = 0; j < C; j++)
        scale[j] = gamma[j] / sqrt(scale[j] / N + eps);
    for (long i = 0; i < N; i++)
        for (int j = 0; j < C; j++)
            output[i * C + j] =
                (float)((input[i * C + j] - mean[j]) * scale[j] + beta[j]);
}
