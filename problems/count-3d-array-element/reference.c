/* The count, exactly. */
void
solve(const int *input, int *output, int N, int M, int K, int P)
{
    int count = 0;

    for (long i = 0; i < (long)N * M * K; i++)
        count += input[i] == P;
    output[0] = count;
}
