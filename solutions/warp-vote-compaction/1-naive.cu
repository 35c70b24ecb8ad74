// warpjudge: warp-vote-compaction
// expect: accepted
// idea: Each group of 32 elements is compacted by itself. Give each a thread that walks through it
//   and counts what it keeps.
// One thread for each group of 32. It counts what it keeps as it walks. Neighbours in a warp
// read and write 128 bytes apart, so each access of a warp touches 32 sectors for 32 numbers.
// H200: 14.1 ms
#include <cuda_runtime.h>

#define GROUP 32

__global__ void
compact(const float *input, unsigned *ballot, int *vote, float *packed, int N, float threshold)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;

    if (g >= (N + GROUP - 1) / GROUP)
        return;
    int first = g * GROUP, count = min(GROUP, N - first), kept = 0;
    unsigned bits = 0;

    for (int l = 0; l < count; l++) {
        float value = input[first + l];

        if (value > threshold) {
            bits |= 1u << l;
            packed[first + kept++] = value;
        }
    }
    ballot[g] = bits;
    vote[g] = kept == 0 ? 0 : kept == count ? 2 : 1;
    while (kept < count)
        packed[first + kept++] = 0.0f;
}

extern "C" void
solve(const float *input, unsigned *ballot, int *vote, float *packed, int N, float threshold)
{
    int groups = (N + GROUP - 1) / GROUP;

    compact<<<(groups + 127) / 128, 128>>>(input, ballot, vote, packed, N, threshold);
}
