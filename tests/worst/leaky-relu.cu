// warpjudge: leaky-relu
// One thread does everything.
__global__ void
serial(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++) {
        output[i] = input[i] > 0 ? input[i] : 0.01f * input[i];
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
