// bug: configuration cudaErrorInvalidValue
// More shared memory than a block may have without asking.
#include "planted.h"

extern __shared__ int buffer[];

__global__ void
fill(int *a)
{
    buffer[threadIdx.x] = threadIdx.x;
    a[threadIdx.x] = buffer[threadIdx.x];
}

int
main()
{
    fill<<<1, 64, 300000>>>(fresh<int>(64));
    return finish();
}
