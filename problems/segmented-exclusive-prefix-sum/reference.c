/* One sum in double that starts again at each flag. */
void
solve(const float *values, const int *flags, float *output, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++) {
        if (flags[i])
            sum = 0;
        output[i] = (float)sum;
        sum += values[i];
    }
}
