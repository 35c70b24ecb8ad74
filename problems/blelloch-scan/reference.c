/* What stands before, added up modulo 2^32. */
void
solve(const unsigned int *input, unsigned int *output, int N)
{
    unsigned int sum = 0;

    for (int i = 0; i < N; i++) {
        output[i] = sum;
        sum += input[i];
    }
}
