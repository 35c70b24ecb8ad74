// bug: none
// A reduction within warps, with __syncwarp() between reading and writing.
#include "planted.h"

__global__ void
sum(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, lane = t % 32;

    s[t] = in[t];
    for (int d = 16; d > 0; d /= 2) {
        __syncwarp();
        int v = lane < d ? s[t + d] : 0;
        __syncwarp();
        s[t] += v;
    }
    if (lane == 0)
        out[t / 32] = s[t];
}

int
main()
{
    sum<<<1, 128>>>(counted<int>(128), fresh<int>(4));
    return finish();
}
