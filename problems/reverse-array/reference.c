/* Swaps from both ends towards the middle. */
void
solve(float *input, int N)
{
    for (int i = 0; i < N / 2; i++) {
        const float front = input[i];

        input[i] = input[N - 1 - i];
        input[N - 1 - i] = front;
    }
}
