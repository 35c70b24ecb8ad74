/* The product of two floats is exact in double, and rounded once. */
void
solve(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = input[i] > 0 ? input[i] : (float)((double)input[i] * 0.01f);
}
