// bug: none
// Three warps read one tile, one after the other has gone on, and each arrives when it has.
// A fourth waits for all of them before it writes the tile. Some only add to a counter.
#include "planted.h"

__global__ void
pace(const int *in, int *out)
{
    __shared__ int tile[32], count;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;

    if (warp == 3) {
        tile[lane] = in[lane];
        count = 0;
    }
    __syncthreads();
    if (warp == 3) {
        asm volatile("bar.sync 2, 128;" ::: "memory");
        tile[lane] = count;
        asm volatile("bar.arrive 5, 64;" ::: "memory");
        return;
    }
    for (int i = 0; i <= warp; i++)
        sum += __shfl_down_sync(~0u, tile[lane ^ i], 1);
    atomicAdd(&count, sum);
    if (warp == 0)
        asm volatile("bar.arrive 4, 64;" ::: "memory");
    if (warp == 1) {
        asm volatile("bar.sync 4, 64;" ::: "memory");
        sum += __shfl_xor_sync(~0u, tile[lane], 2);
    }
    asm volatile("bar.arrive 2, 128;" ::: "memory");
    if (warp == 2) {
        asm volatile("bar.sync 5, 64;" ::: "memory");
        sum += tile[31 - lane];
    }
    out[threadIdx.x] = sum;
}

int
main()
{
    pace<<<1, 128>>>(counted<int>(32), fresh<int>(96));
    return finish();
}
