/* Targets that follow X * w, with w from -2 to 2, and a little noise unless told "exact".
 */
#include <string.h>

#define FEATURES_MAX 1000

void
inputs(struct draws *draws, const char *variant, float *X, float *y, int n_samples,
       int n_features)
{
    double w[FEATURES_MAX], noise = strcmp(variant, "exact") == 0 ? 0 : 0.1;

    for (int j = 0; j < n_features; j++)
        w[j] = draw_uniform(draws, -2, 2);
    for (long i = 0; i < n_samples; i++) {
        double sum = draw_normal(draws, 0, noise);

        for (int j = 0; j < n_features; j++)
            sum += X[i * n_features + j] * w[j];
        y[i] = (float)sum;
    }
}
