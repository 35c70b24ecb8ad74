// bug: bounds 8
// The host's memory is given to a kernel.
#include "planted.h"

__global__ void
fill(int *a)
{
    a[threadIdx.x] = 1;
}

int
main()
{
    static int host[32];

    fill<<<1, 32>>>(host);
    return finish();
}
