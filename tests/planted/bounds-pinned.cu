// bug: bounds 11
// Half a vector of pinned memory behind its end.
#include "planted.h"

__global__ void
sum(const int2 *a, int *out, int n)
{
    int i = threadIdx.x;

    if (i < n)
        atomicAdd(out, a[i].x + a[i].y);
}

int
main()
{
    int *a;

    cudaMallocHost(&a, 61 * sizeof *a);
    for (int i = 0; i < 61; i++)
        a[i] = i;
    sum<<<1, 32>>>((const int2 *)a, zeros<int>(1), 31);
    return finish();
}
