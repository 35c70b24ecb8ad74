// warpjudge: segmented-reduction
// One thread does everything.
__global__ void
serial(const float *values, const int *offsets, float *output, int N, int S)
{
    for (int s = 0; s < S; s++) {
        double sum = 0;

        for (int i = offsets[s]; i < offsets[s + 1]; i++)
            sum += values[i];
        output[s] = sum;
    }
}

extern "C" void
solve(const float *values, const int *offsets, float *output, int N, int S)
{
    serial<<<1, 1>>>(values, offsets, output, N, S);
}
