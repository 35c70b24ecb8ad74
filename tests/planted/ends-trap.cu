// bug: trap 9
// The kernel traps.
#include "planted.h"

__global__ void
check(const int *a)
{
    if (a[threadIdx.x] == 20)
        __trap();
}

int
main()
{
    check<<<1, 64>>>(counted<int>(64));
    return finish();
}
