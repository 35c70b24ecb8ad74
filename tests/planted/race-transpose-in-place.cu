// bug: race 9 11
// A transpose in place in which both threads of a pair write.
#include "planted.h"

__global__ void
transpose(float *a)
{
    int x = threadIdx.x, y = blockIdx.x;
    float v = a[y * 32 + x];

    a[x * 32 + y] = v;
}

int
main()
{
    transpose<<<32, 32>>>(counted<float>(1024));
    return finish();
}
