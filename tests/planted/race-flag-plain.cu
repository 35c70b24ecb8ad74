// bug: race 13 15
// The verdict of one warp is read by another without a barrier.
#include "planted.h"

__global__ void
any(const int *in, int *out)
{
    __shared__ int found;

    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (in[threadIdx.x] == 77)
        found = 1;

    out[threadIdx.x] = found;
}

int
main()
{
    any<<<1, 128>>>(counted<int>(128), zeros<int>(128));
    return finish();
}
