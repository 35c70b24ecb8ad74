// warpjudge: batch-normalization
// One thread does everything, in double.
#define FEATURES_MAX 1024

__global__ void
serial(const float *input, const float *gamma, const float *beta, float *output, int N, int C,
       float eps)
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

extern "C" void
solve(const float *input, const float *gamma, const float *beta, float *output, int N, int C,
      float eps)
{
    serial<<<1, 1>>>(input, gamma, beta, output, N, C, eps);
}
