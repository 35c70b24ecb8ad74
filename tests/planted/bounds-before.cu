// bug: bounds 11
// The left neighbour of element 0.
#include "planted.h"

__global__ void
smooth(const float *a, float *b, int n)
{
    int i = threadIdx.x;

    if (i < n - 1)
        b[i] = (a[i - 1] + a[i + 1]) / 2;
}

int
main()
{
    smooth<<<1, 64>>>(counted<float>(64), fresh<float>(64), 64);
    return finish();
}
