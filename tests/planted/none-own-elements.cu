// bug: none
// Threads that touch their own elements only need no barrier.
#include "planted.h"

__global__ void
local(const float4 *in, float4 *out, int n)
{
    extern __shared__ float mine[];
    int t = threadIdx.x;

    for (int i = 0; i < 4; i++)
        mine[i * blockDim.x + t] = in[t].x + i;
    for (int i = 3; i >= 0; i--)
        mine[i * blockDim.x + t] *= 2;
    out[t] = make_float4(mine[t], mine[blockDim.x + t], mine[2 * blockDim.x + t],
                         mine[3 * blockDim.x + t]);
}

int
main()
{
    local<<<1, 64, 1024>>>((float4 *)counted<float>(256), fresh<float4>(64), 64);
    return finish();
}
