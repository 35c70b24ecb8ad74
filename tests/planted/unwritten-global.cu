// bug: unwritten 8
// The sum is added to without ever being set.
#include "planted.h"

__global__ void
sum(const int *in, int *out)
{
    atomicAdd(out, in[threadIdx.x]);
}

int
main()
{
    sum<<<1, 64>>>(counted<int>(64), fresh<int>(1));
    return finish();
}
