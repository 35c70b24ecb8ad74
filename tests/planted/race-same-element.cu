// bug: race 10 10
// All threads write different values to one element.
#include "planted.h"

__global__ void
last(int *out)
{
    __shared__ int s;

    s = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s;
}

int
main()
{
    last<<<1, 64>>>(zeros<int>(64));
    return finish();
}
