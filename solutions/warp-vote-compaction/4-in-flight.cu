// warpjudge: warp-vote-compaction
// expect: accepted
// idea: A warp waits for memory once for each group. Let it ask for several groups before the first
//   vote, and write the results of these groups side by side.
// Against step 3: a warp takes eight neighbouring groups and asks for all of them before the
// first ballot. It waits for memory once instead of eight times. Eight lanes then write the
// ballots and votes of the groups side by side, a sector each instead of 4 bytes.
// H200: 1.22 ms, 1.72 times as fast as step 3
#include <cuda_runtime.h>

#define GROUPS 8 // of a warp

__global__ void
compact(const float *input, unsigned *ballot, int *vote, float *packed, int N, float threshold)
{
    int lane = threadIdx.x % 32;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * (32 * GROUPS);
    float value[GROUPS];
    unsigned own = 0;

    if (first >= N) // the whole warp
        return;
    // Elements beyond the end are none that are kept. No guard stands around these loads, so that
    // none of them waits for another.
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
        value[g] = input[min(first + 32 * g + lane, N - 1)];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        int i = first + 32 * g + lane;
        unsigned bits = __ballot_sync(0xFFFFFFFFu, i < N && value[g] > threshold);

        if (bits >> lane & 1)
            packed[i - lane + __popc(bits & ((1u << lane) - 1))] = value[g];
        if (i < N && lane >= __popc(bits))
            packed[i] = 0.0f;
        if (lane == g)
            own = bits;
    }
    int begin = first + 32 * lane; // of the group whose bits this lane has

    if (lane < GROUPS && begin < N) {
        int kept = __popc(own);

        ballot[begin / 32] = own;
        vote[begin / 32] = kept == 0 ? 0 : kept == min(32, N - begin) ? 2 : 1;
    }
}

extern "C" void
solve(const float *input, unsigned *ballot, int *vote, float *packed, int N, float threshold)
{
    int warps = (N + 32 * GROUPS - 1) / (32 * GROUPS);

    compact<<<(warps + 7) / 8, 256>>>(input, ballot, vote, packed, N, threshold);
}
