// bug: unwritten 17
// The last element of a buffer is left out by the kernel that fills it.
#include "planted.h"

__global__ void
fill(float *a, int n)
{
    int i = threadIdx.x;

    if (i < n - 1)
        a[i] = i;
}

__global__ void
twice(const float *a, float *b)
{
    b[threadIdx.x] = a[threadIdx.x] * 2;
}

int
main()
{
    float *a = fresh<float>(64);

    fill<<<1, 64>>>(a, 64);
    twice<<<1, 64>>>(a, fresh<float>(64));
    return finish();
}
