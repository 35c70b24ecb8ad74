// bug: bounds 11
// The guard lets one thread too many through.
#include "planted.h"

__global__ void
scale(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        a[i] *= 2;
}

int
main()
{
    scale<<<5, 64>>>(counted<float>(256), 256);
    return finish();
}
