// bug: bounds 8
// A null pointer.
#include "planted.h"

__global__ void
fill(int *a)
{
    a[threadIdx.x] = 1;
}

int
main()
{
    fill<<<1, 32>>>(nullptr);
    return finish();
}
