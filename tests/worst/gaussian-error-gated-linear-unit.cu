// warpjudge: gaussian-error-gated-linear-unit
// One thread does everything.
__global__ void
serial(const float *input, float *output, int N)
{
    for (int i = 0; i < N / 2; i++) {
        output[i] = input[i] * (0.5f * input[i + N / 2] * (1 + erff(input[i + N / 2] * 0.70710678f)));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
