/* Clamped to -1..1, exactly. */
void
solve(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = input[i] < -1 ? -1 : input[i] > 1 ? 1 : input[i];
}
