// warpjudge: monte-carlo-integration
// One thread does everything.
__global__ void
serial(const float *y_samples, float *result, float a, float b, int n_samples)
{
    double sum = 0;

    for (int i = 0; i < n_samples; i++)
        sum += y_samples[i];
    *result = (b - a) * sum / n_samples;
}

extern "C" void
solve(const float *y_samples, float *result, float a, float b, int n_samples)
{
    serial<<<1, 1>>>(y_samples, result, a, b, n_samples);
}
