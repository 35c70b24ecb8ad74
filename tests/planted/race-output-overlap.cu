// bug: race 9 9
// Blocks overlap by one element and store different values there.
#include "planted.h"

__global__ void
number(int *out)
{
    int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    out[i] = blockIdx.x;
}

int
main()
{
    number<<<4, 64>>>(zeros<int>(256));
    return finish();
}
