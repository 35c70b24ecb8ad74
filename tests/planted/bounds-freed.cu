// bug: bounds 8
// A buffer is used after cudaFree().
#include "planted.h"

__global__ void
fill(int *a)
{
    a[threadIdx.x] = 1;
}

int
main()
{
    int *a = fresh<int>(32);

    cudaFree(a);
    fill<<<1, 32>>>(a);
    return finish();
}
