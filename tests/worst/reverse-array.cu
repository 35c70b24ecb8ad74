// warpjudge: reverse-array
// One thread does everything.
__global__ void
serial(float *input, int N)
{
    for (int i = 0; i < N / 2; i++) {
        float kept = input[i];

        input[i] = input[N - 1 - i];
        input[N - 1 - i] = kept;
    }
}

extern "C" void
solve(float *input, int N)
{
    serial<<<1, 1>>>(input, N);
}
