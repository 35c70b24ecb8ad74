// bug: configuration cudaErrorInvalidValue
// 2048 threads a block.
#include "planted.h"

__global__ void
fill(int *a)
{
    a[threadIdx.x] = 1;
}

int
main()
{
    fill<<<1, 2048>>>(fresh<int>(2048));
    return finish();
}
