// bug: shuffle 12 14
// A whole warp's sum in a block of 20 threads.
#include "planted.h"

__global__ void
sum(const float *in, float *out)
{
    int t = threadIdx.x;
    float v = in[t];

    for (int d = 1; d < 32; d *= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (t == 0)
        *out = v;
}

int
main()
{
    sum<<<1, 20>>>(counted<float>(20), fresh<float>(1));
    return finish();
}
