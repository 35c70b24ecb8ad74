// warpjudge: segmented-reduction
// expect: accepted
// idea: Each segment is a sum of its own. Give each a thread, and look at where the threads of a
//   warp read and how long they wait for the longest segment.
// One thread for each segment: neighbours in a warp read from places far apart, and all
// wait for the longest of their 32 segments.
// H200: 8.64 ms
#include <cuda_runtime.h>

__global__ void
add_segments(const float *values, const int *offsets, float *output, int S)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;

    if (s < S) {
        float sum = 0.0f;

        for (int i = offsets[s]; i < offsets[s + 1]; i++)
            sum += values[i];
        output[s] = sum;
    }
}

extern "C" void
solve(const float *values, const int *offsets, float *output, int N, int S)
{
    add_segments<<<(S + 255) / 256, 256>>>(values, offsets, output, S);
}
