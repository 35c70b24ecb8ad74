// bug: race 10 10
// A stencil in place: neighbours are read while their threads write them.
#include "planted.h"

__global__ void
smooth(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > 0 && i < n - 1) a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}

int
main()
{
    smooth<<<4, 64>>>(counted<float>(256), 256);
    return finish();
}
