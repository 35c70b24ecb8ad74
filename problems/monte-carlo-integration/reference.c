/* In double, rounded once. */
void
solve(const float *y_samples, float *result, float a, float b, int n_samples)
{
    double sum = 0;

    for (int i = 0; i < n_samples; i++)
        sum += y_samples[i];
    result[0] = (float)(((double)b - a) * sum / n_samples);
}
