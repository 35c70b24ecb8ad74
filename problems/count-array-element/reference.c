/* The count, exactly. */
void
solve(const int *input, int *output, int N, int K)
{
    output[0] = 0;
    for (int i = 0; i < N; i++)
        output[0] += input[i] == K;
}
