// warpjudge: histogramming
// expect: accepted
// Lanes with the same bin add once: ballot, match, redux.
#include <cuda_runtime.h>
__global__ void
k(const int *in, int *h, int N, int B)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned act = __ballot_sync(0xffffffff, i < N);
    if (i < N) {
        int b = in[i];
        unsigned peers = __match_any_sync(act, b);
        int leader = __ffs(peers) - 1;
        unsigned cnt = __reduce_add_sync(peers, 1u);
        if (__popc(peers) != cnt)
            __trap();
        if ((threadIdx.x & 31) == leader)
            atomicAdd(&h[b], (int)cnt);
    }
}
extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    k<<<(N + 255) / 256, 256>>>(input, histogram, N, num_bins);
}
