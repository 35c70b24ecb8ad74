// bug: none
// The second stage of a block's sum: eight lanes, of which the upper ones read from lanes that
// are not in the mask. Only lane 0's sum is used.
#include "planted.h"

__global__ void
normalize(const float *in, float *out)
{
    __shared__ float s[8];
    int t = threadIdx.x;
    float v = in[t];

    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t < 8) {
        v = s[t];
        for (int d = 4; d > 0; d /= 2)
            v += __shfl_down_sync(0xff, v, d);
        if (t == 0)
            s[0] = v;
    }
    __syncthreads();
    out[t] = in[t] / s[0];
}

int
main()
{
    normalize<<<4, 256>>>(counted<float>(256), fresh<float>(256));
    return finish();
}
