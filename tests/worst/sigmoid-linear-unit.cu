// warpjudge: sigmoid-linear-unit
// One thread does everything.
__global__ void
serial(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++) {
        output[i] = input[i] / (1 + expf(-input[i]));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
