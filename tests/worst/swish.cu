// warpjudge: swish
// One thread does everything, in double.
__global__ void
serial(const float *input, float *output, int N, float beta)
{
    for (int i = 0; i < N; i++)
        output[i] = (float)(input[i] / (1 + exp(-(double)beta * input[i])));
}

extern "C" void
solve(const float *input, float *output, int N, float beta)
{
    serial<<<1, 1>>>(input, output, N, beta);
}
