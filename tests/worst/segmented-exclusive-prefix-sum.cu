// warpjudge: segmented-exclusive-prefix-sum
// One thread does everything.
__global__ void
serial(const float *values, const int *flags, float *output, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++) {
        if (flags[i])
            sum = 0;
        output[i] = sum;
        sum += values[i];
    }
}

extern "C" void
solve(const float *values, const int *flags, float *output, int N)
{
    serial<<<1, 1>>>(values, flags, output, N);
}
