// warpjudge: gelu
// One thread does everything, in double.
__global__ void
serial(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = (float)(0.5 * input[i] * erfc(-input[i] * 0.70710678118654752440));
}

extern "C" void
solve(const float *input, float *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
