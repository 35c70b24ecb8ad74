// bug: none
// Two halves of a warp, each with a __syncwarp() of its own.
#include "planted.h"

__global__ void
exchange(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;

    s[t] = in[t];
    if (t < 16) {
        __syncwarp(0xffff);
        out[t] = s[15 - t];
    } else {
        __syncwarp(0xffff0000);
        out[t] = s[47 - t];
    }
}

int
main()
{
    exchange<<<1, 32>>>(counted<int>(32), fresh<int>(32));
    return finish();
}
