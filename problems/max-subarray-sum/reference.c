/* A sum that slides along: exact in integers. */
void
solve(const int *input, int *output, int N, int window_size)
{
    int sum = 0, best;

    for (int i = 0; i < window_size; i++)
        sum += input[i];
    best = sum;
    for (int i = window_size; i < N; i++) {
        sum += input[i] - input[i - window_size];
        best = sum > best ? sum : best;
    }
    output[0] = best;
}
