// bug: shuffle 14 16
// A warp's sum, after the threads behind the end have returned.
#include "planted.h"

__global__ void
sum(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float v = in[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
}

int
main()
{
    sum<<<2, 64>>>(counted<float>(100), zeros<float>(1), 100);
    return finish();
}
