// bug: bounds 11
// Managed memory is mapped by pages; what was asked for is less, and all there is.
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
    float *a;

    cudaMallocManaged(&a, 1000 * sizeof *a);
    for (int i = 0; i < 1000; i++)
        a[i] = (float)i;
    scale<<<8, 128>>>(a, 1000);
    return finish();
}
