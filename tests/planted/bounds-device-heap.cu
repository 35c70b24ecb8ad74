// bug: bounds 12
// Memory of the device heap is used after free().
#include "planted.h"

__global__ void
work(int *out)
{
    int *mine = (int *)malloc(64);

    mine[0] = threadIdx.x;
    free(mine);
    out[threadIdx.x] = ((volatile int *)mine)[0];
}

int
main()
{
    work<<<1, 1>>>(zeros<int>(8));
    return finish();
}
