// bug: none
// Shuffles by lanes on several paths, by halves of a warp with masks of their own, and with a
// mask from a vote; the last lanes have returned.
#include "planted.h"

__global__ void
turns(const int *in, int *out, int n)
{
    int t = threadIdx.x, v;

    if (t % 2 == 0)
        v = __shfl_xor_sync(0xffffffff, in[t], 1);
    else
        v = -__shfl_xor_sync(0xffffffff, in[t], 1);
    for (int d = 8; d > 0; d /= 2)
        v += t < 16 ? __shfl_xor_sync(0xffff, v, d) : __shfl_xor_sync(0xffff0000, v, d);
    unsigned voted = __ballot_sync(0xffffffff, t < n);
    if (t >= n)
        return;
    int leader = __ffs(voted) - 1, last = 31 - __clz(voted);
    v += __shfl_sync(voted, v, leader) - __shfl_sync(voted, v, last);
    out[t] = v;
}

int
main()
{
    turns<<<1, 32>>>(counted<int>(32), fresh<int>(32), 21);
    return finish();
}
