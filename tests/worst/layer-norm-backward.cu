// warpjudge: layer-norm-backward
// One thread does everything, in double.

__device__ void *
zeros(size_t count, size_t bytes)
{
    void *memory = malloc(count * bytes);

    if (memory != NULL)
        memset(memory, 0, count * bytes);
    return memory;
}

__global__ void
serial(const float *x, const float *gamma, const float *dy, float *dx, float *dgamma,
       float *dbeta, int N, int C, float eps)
{
    double *gain = (double *)zeros(2 * (size_t)C, sizeof *gain), *shift = gain + C;

    if (!gain)
        __trap();
    for (long n = 0; n < N; n++) {
        const float *xn = x + n * C, *dyn = dy + n * C;
        double mean = 0, variance = 0, a = 0, b = 0, r;

        for (long c = 0; c < C; c++)
            mean += xn[c];
        mean /= C;
        for (long c = 0; c < C; c++) {
            variance += (xn[c] - mean) * (xn[c] - mean);
            a += (double)dyn[c] * gamma[c];
            b += (double)dyn[c] * gamma[c] * (xn[c] - mean);
        }
        r = 1 / sqrt(variance / C + eps);
        a /= C;
        b = b / C * r;
        for (long c = 0; c < C; c++) {
            double h = (xn[c] - mean) * r;

            dx[n * C + c] = (float)(r * ((double)dyn[c] * gamma[c] - a - h * b));
            gain[c] += dyn[c] * h;
            shift[c] += dyn[c];
        }
    }
    for (long c = 0; c < C; c++) {
        dgamma[c] = (float)gain[c];
        dbeta[c] = (float)shift[c];
    }
    free(gain);
}

extern "C" void
solve(const float *x, const float *gamma, const float *dy, float *dx, float *dgamma,
      float *dbeta, int N, int C, float eps)
{
    serial<<<1, 1>>>(x, gamma, dy, dx, dgamma, dbeta, N, C, eps);
}
