// warpjudge: segmented-reduction
// expect: accepted
// idea: Neighbouring threads read from places far apart, and a warp waits for the longest of its
//   segments. Give each segment a warp whose lanes read neighbours, and join their sums by
//   shuffles.
// Against step 1: a warp for each segment. Its lanes read neighbours, whole sectors, and
// shuffles join their sums.
// H200: 3.68 ms, 2.3 times as fast as step 1
#include <cuda_runtime.h>

__global__ void
add_segments(const float *values, const int *offsets, float *output, int S)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;

    if (s >= S) // the whole warp
        return;
#pragma unroll 1 // a number is added before the next one is asked for
    for (int i = offsets[s] + lane; i < offsets[s + 1]; i += 32)
        sum += values[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (lane == 0)
        output[s] = sum;
}

extern "C" void
solve(const float *values, const int *offsets, float *output, int N, int S)
{
    add_segments<<<(S + 7) / 8, 256>>>(values, offsets, output, S);
}
