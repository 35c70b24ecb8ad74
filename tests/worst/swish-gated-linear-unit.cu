// warpjudge: swish-gated-linear-unit
// One thread does everything.
__global__ void
serial(const float *input, float *output, int N)
{
    for (int i = 0; i < N / 2; i++) {
        output[i] = input[i] / (1 + expf(-input[i])) * input[i + N / 2];
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
