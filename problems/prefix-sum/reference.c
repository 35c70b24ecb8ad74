/* The running sum in double; each is rounded once. */
void
solve(const float *input, float *output, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++) {
        sum += input[i];
        output[i] = (float)sum;
    }
}
