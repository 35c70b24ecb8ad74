// bug: none
// Both halves of a warp read a common word and their own. They meet half by half, and change
// their own word.
#include "planted.h"
#include <cooperative_groups.h>
namespace half_warp = cooperative_groups;

__global__ void
tiles(const int *in, int *out)
{
    __shared__ int s[64], common, own[4];
    auto tile = half_warp::tiled_partition<16>(half_warp::this_thread_block());
    int t = threadIdx.x, half = t / 16;

    s[t] = in[t];
    if (t == 0)
        common = in[1];
    if (t < 4)
        own[t] = 0;
    __syncthreads();
    for (int step = 8; step > 0; step /= 2) {
        int base = own[half] + common;

        if (t % 16 < step)
            s[t] += s[t + step] + base;
        tile.sync();
        if (t % 16 == 0)
            own[half] = base;
        tile.sync();
    }
    out[t] = s[t / 16 * 16];
}

int
main()
{
    tiles<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}
