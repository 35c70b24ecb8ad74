// warpjudge: reduction
// One thread does everything.
__global__ void
serial(const float *input, float *output, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += input[i];
    *output = sum;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
