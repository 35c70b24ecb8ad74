// warpjudge: warp-vote-compaction
// expect: accepted
// One warp for each group. A kept element goes as far to the front as there are kept ones in
// the lanes below; the lanes above the last kept one write zeros. Lanes beyond the end of the
// vector take part in the ballots and write nothing.
#include <cuda_runtime.h>

__global__ void
compact(const float *input, unsigned *ballot, int *vote, float *packed, int N,
        float threshold)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float value = i < N ? input[i] : 0.0f;
    unsigned kept = __ballot_sync(0xFFFFFFFFu, i < N && value > threshold);
    unsigned exist = __ballot_sync(0xFFFFFFFFu, i < N);

    if (i >= N)
        return;
    if (kept >> lane & 1)
        packed[i - lane + __popc(kept & ((1u << lane) - 1))] = value;
    if (lane >= __popc(kept))
        packed[i] = 0.0f;
    if (lane == 0) {
        ballot[i / 32] = kept;
        vote[i / 32] = kept == 0 ? 0 : kept == exist ? 2 : 1;
    }
}

extern "C" void
solve(const float *input, unsigned *ballot, int *vote, float *packed, int N, float threshold)
{
    compact<<<(N + 255) / 256, 256>>>(input, ballot, vote, packed, N, threshold);
    cudaDeviceSynchronize();
}
