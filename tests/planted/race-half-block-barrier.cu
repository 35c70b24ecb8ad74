// bug: race 11 14
// A named barrier of the first two warps, but all four read.
#include "planted.h"

__global__ void
exchange(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = in[t];
    if (t < 64)
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    out[t] = s[127 - t];
}

int
main()
{
    exchange<<<1, 128>>>(counted<int>(128), zeros<int>(128));
    return finish();
}
