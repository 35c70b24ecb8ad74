// warpjudge: rms-norm-backward
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
serial(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N,
       int C, float eps)
{
    double *sum = (double *)zeros((size_t)C, sizeof *sum);

    if (!sum)
        __trap();
    for (long n = 0; n < N; n++) {
        const float *xn = x + n * C, *dyn = dy + n * C;
        double square = 0, q = 0, r;

        for (long c = 0; c < C; c++) {
            square += (double)xn[c] * xn[c];
            q += (double)dyn[c] * weight[c] * xn[c];
        }
        r = 1 / sqrt(square / C + eps);
        q /= C;
        for (long c = 0; c < C; c++) {
            dx[n * C + c] = (float)(r * dyn[c] * weight[c] - r * r * r * q * xn[c]);
            sum[c] += dyn[c] * (xn[c] * r);
        }
    }
    for (long c = 0; c < C; c++)
        dweight[c] = (float)sum[c];
    free(sum);
}

extern "C" void
solve(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N,
      int C, float eps)
{
    serial<<<1, 1>>>(x, weight, dy, dx, dweight, N, C, eps);
}
