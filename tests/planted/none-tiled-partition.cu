// bug: none
// Groups of 8 lanes that wait for themselves only.
#include "planted.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void
exchange(const int *in, int *out)
{
    __shared__ int s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;

    s[t] = in[t];
    tile.sync();
    out[t] = s[t / 8 * 8 + 7 - t % 8];
    tile.sync();
    s[t] = -1;
}

int
main()
{
    exchange<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}
