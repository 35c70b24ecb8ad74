// warpjudge: l1-norm
// One thread does everything, in double.
__global__ void
serial(const float *input, float *output, int M, int N, float eps)
{
    for (long r = 0; r < M; r++) {
        const float *row = input + r * N;
        double sum = 0;

        for (long c = 0; c < N; c++)
            sum += fabs(row[c]);
        for (long c = 0; c < N; c++)
            output[r * N + c] = (float)(row[c] / fmax(sum, eps));
    }
}

extern "C" void
solve(const float *input, float *output, int M, int N, float eps)
{
    serial<<<1, 1>>>(input, output, M, N, eps);
}
