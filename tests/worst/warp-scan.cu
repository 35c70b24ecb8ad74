// warpjudge: warp-scan
// One thread does everything.
__global__ void
serial(const int *input, int *output, int N)
{
    for (int i = 0; i < N; i++) {
        output[i] = input[i] + (i % 32 == 0 ? 0 : output[i - 1]);
    }
}

extern "C" void
solve(const int *input, int *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}
