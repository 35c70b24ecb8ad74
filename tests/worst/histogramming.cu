// warpjudge: histogramming
// One thread does everything.
__global__ void
serial(const int *input, int *histogram, int N, int num_bins)
{
    for (int i = 0; i < N; i++)
        histogram[input[i]]++;
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    serial<<<1, 1>>>(input, histogram, N, num_bins);
}
