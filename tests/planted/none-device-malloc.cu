// bug: none
// Memory of the device heap, written before it is read.
#include "planted.h"

__global__ void
work(int *out)
{
    int *mine = (int *)malloc(16 * sizeof(int));

    for (int i = 0; i < 16; i++)
        mine[i] = i;
    for (int i = 0; i < 16; i++)
        out[threadIdx.x] += mine[i];
    free(mine);
}

int
main()
{
    work<<<1, 8>>>(zeros<int>(8));
    return finish();
}
