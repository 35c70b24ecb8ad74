/* Normal equations in double, solved by Cholesky's method. */
#include <math.h>
#include <stdlib.h>

/* gram = the lower half of X^T X; target = X^T y */
static void
normal_equations(const float *X, const float *y, double *gram, double *target,
                 long samples, long n)
{
    for (long i = 0; i < samples; i++) {
        const float *row = X + i * n;

        for (long a = 0; a < n; a++) {
            target[a] += (double)row[a] * y[i];
            for (long b = 0; b <= a; b++)
                gram[a * n + b] += (double)row[a] * row[b];
        }
    }
}

/* L L^T = gram, in place; then L z = x and L^T x = z, in place. */
static void
cholesky(double *gram, double *x, long n)
{
    for (long a = 0; a < n; a++)
        for (long b = 0; b <= a; b++) {
            double sum = gram[a * n + b];

            for (long t = 0; t < b; t++)
                sum -= gram[a * n + t] * gram[b * n + t];
            gram[a * n + b] = a == b ? sqrt(sum) : sum / gram[b * n + b];
        }
    for (long a = 0; a < n; a++) {
        for (long t = 0; t < a; t++)
            x[a] -= gram[a * n + t] * x[t];
        x[a] /= gram[a * n + a];
    }
    for (long a = n - 1; a >= 0; a--) {
        for (long t = a + 1; t < n; t++)
            x[a] -= gram[t * n + a] * x[t];
        x[a] /= gram[a * n + a];
    }
}

void
solve(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    const size_t n = (size_t)n_features;
    double *gram = calloc(n * n, sizeof *gram), *x = calloc(n, sizeof *x);

    if (!gram || !x)
        abort();
    normal_equations(X, y, gram, x, n_samples, n_features);
    cholesky(gram, x, n_features);
    for (size_t j = 0; j < n; j++)
        beta[j] = (float)x[j];
    free(x);
    free(gram);
}
