// bug: unwritten 8
// cudaMemset() counts bytes, not elements.
#include "planted.h"

__global__ void
add(int *a)
{
    a[threadIdx.x] += 1;
}

int
main()
{
    int *a = fresh<int>(64);

    cudaMemset(a, 0, 64);
    add<<<1, 64>>>(a);
    return finish();
}
