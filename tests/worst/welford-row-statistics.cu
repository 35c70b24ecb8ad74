// warpjudge: welford-row-statistics
// One thread does everything, in double.
__global__ void
serial(const float *input, float *mean, float *variance, int M, int N)
{
    for (long r = 0; r < M; r++) {
        const float *row = input + r * N;
        double sum = 0, squares = 0, middle;

        for (long c = 0; c < N; c++)
            sum += row[c];
        middle = sum / N;
        for (long c = 0; c < N; c++)
            squares += (row[c] - middle) * (row[c] - middle);
        mean[r] = (float)middle;
        variance[r] = (float)(squares / N);
    }
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    serial<<<1, 1>>>(input, mean, variance, M, N);
}
