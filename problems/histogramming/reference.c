/* Counts, exactly. */
void
solve(const int *input, int *histogram, int N, int num_bins)
{
    for (int b = 0; b < num_bins; b++)
        histogram[b] = 0;
    for (int i = 0; i < N; i++) {
        if (input[i] >= 0 && input[i] < num_bins)
            histogram[input[i]]++;
    }
}
