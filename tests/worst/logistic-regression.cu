// warpjudge: logistic-regression
// One thread does everything, in double.

__device__ void *
zeros(size_t count, size_t bytes)
{
    void *memory = malloc(count * bytes);

    if (memory != NULL)
        memset(memory, 0, count * bytes);
    return memory;
}

#define PENALTY 1e-6
#define STEPS_MAX 200

struct problem {
    const float *X;
    const float *y;
    long samples;
    long n;
};

__device__ double
product(const struct problem *p, long i, const double *beta)
{
    double z = 0;

    for (long j = 0; j < p->n; j++)
        z += p->X[i * p->n + j] * beta[j];
    return z;
}

__device__ double
loss(const struct problem *p, const double *beta)
{
    double sum = 0;

    for (long i = 0; i < p->samples; i++) {
        double z = product(p, i, beta);

        sum += fmax(z, 0) + log1p(exp(-fabs(z))) - p->y[i] * z;
    }
    for (long j = 0; j < p->n; j++)
        sum += 0.5 * PENALTY * beta[j] * beta[j];
    return sum;
}

/* Second derivatives, the lower half, and the negative gradient. */
__device__ void
derive(const struct problem *p, const double *beta, double *hessian, double *step)
{
    const long n = p->n;

    for (long a = 0; a < n; a++) {
        step[a] = -PENALTY * beta[a];
        for (long b = 0; b <= a; b++)
            hessian[a * n + b] = a == b ? PENALTY : 0;
    }
    for (long i = 0; i < p->samples; i++) {
        const float *x = p->X + i * n;
        double z = product(p, i, beta), e = exp(-fabs(z)),
               weight = e / ((1 + e) * (1 + e));
        double error =
            p->y[i] > 0 ? (z > 0 ? e : 1) / (1 + e) : -(z > 0 ? 1 : e) / (1 + e);

        for (long a = 0; a < n; a++) {
            step[a] += error * x[a];
            for (long b = 0; b <= a; b++)
                hessian[a * n + b] += weight * x[a] * x[b];
        }
    }
}

/* L L^T = matrix, in place; then L z = x and L^T x = z, in place. */
__device__ void
cholesky(double *matrix, double *x, long n)
{
    for (long a = 0; a < n; a++)
        for (long b = 0; b <= a; b++) {
            double sum = matrix[a * n + b];

            for (long t = 0; t < b; t++)
                sum -= matrix[a * n + t] * matrix[b * n + t];
            matrix[a * n + b] = a == b ? sqrt(sum) : sum / matrix[b * n + b];
        }
    for (long a = 0; a < n; a++) {
        for (long t = 0; t < a; t++)
            x[a] -= matrix[a * n + t] * x[t];
        x[a] /= matrix[a * n + a];
    }
    for (long a = n - 1; a >= 0; a--) {
        for (long t = a + 1; t < n; t++)
            x[a] -= matrix[t * n + a] * x[t];
        x[a] /= matrix[a * n + a];
    }
}

/* One step; returns the largest change of a coefficient. `next` is room. */
__device__ double
newton(const struct problem *p, double *beta, double *hessian, double *step, double *next)
{
    double before = loss(p, beta), largest = 0;

    derive(p, beta, hessian, step);
    cholesky(hessian, step, p->n);
    for (double share = 1; share > 1e-6; share /= 2) {
        for (long j = 0; j < p->n; j++)
            next[j] = beta[j] + share * step[j];
        if (loss(p, next) <= before + 1e-12 * fabs(before))
            break;
    }
    for (long j = 0; j < p->n; j++) {
        largest = fmax(largest, fabs(next[j] - beta[j]));
        beta[j] = next[j];
    }
    return largest;
}

__global__ void
serial(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    const struct problem p = {X, y, n_samples, n_features};
    const size_t n = (size_t)n_features;
    double *room = (double *)zeros(n * n + 3 * n, sizeof *room);
    double *x = room + n * n, *step = x + n, *next = step + n;

    if (!room)
        __trap();
    for (int steps = 0; steps < STEPS_MAX && newton(&p, x, room, step, next) > 1e-10;
         steps++)
        ;
    for (size_t j = 0; j < n; j++)
        beta[j] = (float)x[j];
    free(room);
}

extern "C" void
solve(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    serial<<<1, 1>>>(X, y, beta, n_samples, n_features);
}
