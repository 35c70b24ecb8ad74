/*
 * Labels drawn with the probabilities of a model, whose coefficients lie within -1..1, or
 * -3..3 if told "steep". Where samples are few, the first ones come twice, with both
 * labels: no plane then separates the labels, and the coefficients stay small.
 */
#include <string.h>

#define FEATURES_MAX 1000

static void
overlap(float *X, float *y, int samples, long n)
{
    for (long r = 0; r < n && r + n < samples; r++) {
        for (long j = 0; j < n; j++) {
            X[r * n + j] = (float)((r == j) + 0.3 * X[r * n + j]);
            X[(r + n) * n + j] = X[r * n + j];
        }
        y[r + n] = 1 - y[r];
    }
}

void
inputs(struct draws *draws, const char *variant, float *X, float *y, int n_samples,
       int n_features)
{
    double w[FEATURES_MAX], most = strcmp(variant, "steep") == 0 ? 3 : 1;

    for (int j = 0; j < n_features; j++)
        w[j] = draw_uniform(draws, -most, most);
    for (long i = 0; i < n_samples; i++) {
        double z = 0;

        for (int j = 0; j < n_features; j++)
            z += X[i * n_features + j] * w[j];
        y[i] = draw_uniform(draws, 0, 1) < 1 / (1 + exp(-z));
    }
    if (n_samples < 20 * n_features)
        overlap(X, y, n_samples, n_features);
}
