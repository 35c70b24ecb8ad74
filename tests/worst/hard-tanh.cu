// warpjudge: hard-tanh
// One thread does everything, in double.
__global__ void
serial(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = input[i] < -1 ? -1 : input[i] > 1 ? 1 : input[i];
}

extern "C" void
solve(const float *input, float *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
