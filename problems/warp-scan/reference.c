/* Prefix sums that begin anew every 32 elements. */
void
solve(const int *input, int *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = i % 32 == 0 ? input[i] : output[i - 1] + input[i];
}
