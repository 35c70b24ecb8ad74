// bug: configuration cudaErrorInvalidConfiguration
// A grid of no blocks, because the division came out as 0.
#include "planted.h"

__global__ void
fill(int *a)
{
    a[threadIdx.x] = 1;
}

int
main()
{
    int n = 100;

    fill<<<n / 256, 256>>>(fresh<int>(256));
    return finish();
}
