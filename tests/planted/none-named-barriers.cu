// bug: none
// Two halves of a block, each with a named barrier of its own.
#include "planted.h"

__global__ void
exchange(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 64;

    s[t] = in[t];
    if (half == 0)
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    else
        asm volatile("barrier.sync 2, 64;" ::: "memory");
    out[t] = s[half * 64 + 63 - t % 64];
}

int
main()
{
    exchange<<<1, 128>>>(counted<int>(128), fresh<int>(128));
    return finish();
}
