// bug: race 10 11
// No barrier between writing a tile and reading what other threads wrote.
#include "planted.h"

__global__ void
reverse(const float *in, float *out)
{
    __shared__ float tile[128];

    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[127 - threadIdx.x];
}

int
main()
{
    reverse<<<1, 128>>>(counted<float>(128), zeros<float>(128));
    return finish();
}
