/* max(x, 0): nothing is rounded. */
void
solve(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = input[i] > 0 ? input[i] : 0;
}
