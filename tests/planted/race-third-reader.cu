// bug: race 18 23
// Three warps read a tile, but the writer waits for two of them.
#include "planted.h"

__global__ void
pace(const int *in, int *out)
{
    __shared__ int tile[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;

    if (warp == 3)
        tile[lane] = in[lane];
    __syncthreads();
    if (warp == 3) {
        // the third warp is not counted
        asm volatile("bar.sync 2, 96;" ::: "memory");
        //
        tile[lane] = -1 - lane;
        return;
    }
    if (warp == 1) // each warp reads at its own pace
        __syncwarp();
    sum += tile[31 - lane];
    if (warp != 2)
        asm volatile("bar.arrive 2, 96;" ::: "memory");
    out[threadIdx.x] = sum;
}

int
main()
{
    pace<<<1, 128>>>(counted<int>(32), fresh<int>(96));
    return finish();
}
