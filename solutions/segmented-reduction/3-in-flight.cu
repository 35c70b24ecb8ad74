// warpjudge: segmented-reduction
// expect: accepted
// idea: A lane asks for a number, waits for it, adds it, and only then asks for the next. Unroll
//   the loop, so that several loads are on their way before the first number is added.
// Against step 2: the compiler may unroll the loop. It then asks for several numbers
// before it adds the first, and a lane waits once for all of them. 16 bytes a load, four
// of them at once, were slower: 1.33 ms by events, beside 1.25. Segments begin anywhere,
// and their ends would go one by one.
// H200: 1.26 ms, 2.9 times as fast as step 2
#include <cuda_runtime.h>

__global__ void
add_segments(const float *values, const int *offsets, float *output, int S)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;

    if (s >= S) // the whole warp
        return;
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
