// bug: bounds 8
// A histogram whose last bin does not exist.
#include "planted.h"

__global__ void
count(const int *in, int *bins)
{
    atomicAdd(&bins[in[threadIdx.x]], 1);
}

int
main()
{
    count<<<1, 97>>>(counted<int>(97), zeros<int>(96));
    return finish();
}
