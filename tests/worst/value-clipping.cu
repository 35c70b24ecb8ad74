// warpjudge: value-clipping
// One thread does everything.
__global__ void
serial(const float *input, float *output, float lo, float hi, int N)
{
    for (int i = 0; i < N; i++) {
        output[i] = fminf(hi, fmaxf(lo, input[i]));
    }
}

extern "C" void
solve(const float *input, float *output, float lo, float hi, int N)
{
    serial<<<1, 1>>>(input, output, lo, hi, N);
}
