// bug: race 11 9
// Thread 0 writes what all read; the barrier is missing.
#include "planted.h"

__global__ void
scale(float *data)
{
    __shared__ float factor;
    if (threadIdx.x == 0) factor = data[0] + 2;

    data[64 + threadIdx.x] *= factor;
}

int
main()
{
    scale<<<1, 64>>>(counted<float>(256));
    return finish();
}
