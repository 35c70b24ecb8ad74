/* Two passes in double, each result rounded once. */
void
solve(const float *input, float *mean, float *variance, int M, int N)
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
