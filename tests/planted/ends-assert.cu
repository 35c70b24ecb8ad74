// bug: assertion 9
// An assertion fails.
#include "planted.h"
#include <cassert>

__global__ void
check(const int *a)
{
    assert(a[threadIdx.x] < 20);
}

int
main()
{
    check<<<1, 64>>>(counted<int>(64));
    return finish();
}
