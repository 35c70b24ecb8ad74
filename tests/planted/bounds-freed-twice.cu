// bug: bounds 13
// free() twice in a kernel.
#include "planted.h"

__global__ void
work(int *out)
{
    int *mine = (int *)malloc(64);

    mine[0] = threadIdx.x;
    out[threadIdx.x] = mine[0];
    free(mine);
    free(mine);
}

int
main()
{
    work<<<1, 1>>>(zeros<int>(8));
    return finish();
}
