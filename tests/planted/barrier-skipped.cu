// bug: divergent 13
// Half of the threads pass by the barrier.
#include "planted.h"

__global__ void
some(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t] = t;
    if (t < 48)
        __syncthreads();
    out[t] = s[t];
}

int
main()
{
    some<<<1, 64>>>(fresh<int>(64));
    return finish();
}
