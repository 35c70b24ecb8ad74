// bug: none
// Many threads set one flag, in shared and in global memory.
#include "planted.h"

__global__ void
any(const int *in, int *out)
{
    __shared__ int found;

    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (in[threadIdx.x] > 3)
        found = 1;
    if (in[threadIdx.x] > 5)
        *out = 1;
    __syncthreads();
    if (found)
        out[1 + threadIdx.x] = found;
}

int
main()
{
    any<<<4, 64>>>(counted<int>(64), zeros<int>(65));
    return finish();
}
