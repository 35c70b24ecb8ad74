// warpjudge: rms-normalization
// One thread does everything.
__global__ void
serial(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += input[i] * input[i];
    float scale = 1 / sqrtf(sum / N + eps);
    for (int i = 0; i < N; i++)
        output[i] = input[i] * scale * gamma + beta;
}

extern "C" void
solve(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    serial<<<1, 1>>>(input, gamma, beta, output, N, eps);
}
