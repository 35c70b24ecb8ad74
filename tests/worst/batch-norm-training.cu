// warpjudge: batch-norm-training
// One thread does everything, in double.
__global__ void
serial(const float *x, const float *gamma, const float *beta, float *running_mean,
       float *running_var, float *y, float *save_mean, float *save_invstd, int N, int C, int H,
       int W, float eps, float momentum)
{
    const long plane = (long)H * W;
    const double count = (double)N * (double)plane, m = momentum;

    for (long c = 0; c < C; c++) {
        double sum = 0, squares = 0, mean, variance, inverse;

        for (long n = 0; n < N; n++)
            for (long i = 0; i < plane; i++)
                sum += x[(n * C + c) * plane + i];
        mean = sum / count;
        for (long n = 0; n < N; n++)
            for (long i = 0; i < plane; i++) {
                double d = x[(n * C + c) * plane + i] - mean;

                squares += d * d;
            }
        variance = squares / count;
        inverse = 1 / sqrt(variance + eps);
        for (long n = 0; n < N; n++)
            for (long i = 0; i < plane; i++) {
                long at = (n * C + c) * plane + i;

                y[at] = (float)(gamma[c] * (x[at] - mean) * inverse + beta[c]);
            }
        save_mean[c] = (float)mean;
        save_invstd[c] = (float)inverse;
        running_mean[c] = (float)((1 - m) * running_mean[c] + m * mean);
        running_var[c] = (float)((1 - m) * running_var[c] + m * squares / (count - 1));
    }
}

extern "C" void
solve(const float *x, const float *gamma, const float *beta, float *running_mean,
      float *running_var, float *y, float *save_mean, float *save_invstd, int N, int C, int H,
      int W, float eps, float momentum)
{
    serial<<<1, 1>>>(x, gamma, beta, running_mean, running_var, y, save_mean, save_invstd, N, C, H,
                     W, eps, momentum);
}
