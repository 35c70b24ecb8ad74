// warpjudge: warp-vote-compaction
// One thread does everything, in double.
__global__ void
serial(const float *input, unsigned int *ballot, int *vote, float *packed, int N,
       float threshold)
{
    for (int g = 0; g < N / 32 + (N % 32 != 0); g++) {
        const float *group = input + 32L * g;
        int size = N - 32 * g < 32 ? N - 32 * g : 32, kept = 0;

        ballot[g] = 0;
        for (int l = 0; l < size; l++) {
            if (group[l] > threshold) {
                ballot[g] |= 1u << l;
                packed[32L * g + kept++] = group[l];
            }
        }
        vote[g] = kept == 0 ? 0 : kept == size ? 2 : 1;
        while (kept < size)
            packed[32L * g + kept++] = 0;
    }
}

extern "C" void
solve(const float *input, unsigned int *ballot, int *vote, float *packed, int N,
      float threshold)
{
    serial<<<1, 1>>>(input, ballot, vote, packed, N, threshold);
}
