/* The count, exactly. */
void
solve(const int *input, int *output, int N, int M, int K)
{
    int count = 0;

    for (long i = 0; i < (long)N * M; i++)
        count += input[i] == K;
    output[0] = count;
}
