// bug: race 9 8
// An atomic counter that others read plainly afterwards.
#include "planted.h"

__global__ void
count(int *n, int *out)
{
    atomicAdd(n, 1);
    out[blockIdx.x * 32 + threadIdx.x] = *n;
}

int
main()
{
    count<<<2, 32>>>(zeros<int>(1), zeros<int>(64));
    return finish();
}
