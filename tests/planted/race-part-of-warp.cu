// bug: race 14 11
// __syncwarp() of half a warp, but the values come from the other half.
#include "planted.h"

__global__ void
exchange(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;

    s[t] = in[t];
    if (t < 16) {
        __syncwarp(0xffff);
        out[t] = s[t + 16];
    }
}

int
main()
{
    exchange<<<1, 32>>>(counted<int>(32), zeros<int>(32));
    return finish();
}
