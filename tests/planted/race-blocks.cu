// bug: race 8 8
// Blocks add to one sum without an atomic.
#include "planted.h"

__global__ void
sum(const float *in, float *out)
{
    if (threadIdx.x == 0) *out += in[blockIdx.x];
}

int
main()
{
    sum<<<8, 32>>>(counted<float>(8), zeros<float>(1));
    return finish();
}
