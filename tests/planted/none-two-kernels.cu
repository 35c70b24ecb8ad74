// bug: none
// What one kernel writes the next one reads, in other threads.
#include "planted.h"

__global__ void
first(int *a)
{
    a[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
}

__global__ void
second(int *a, int *b)
{
    b[blockIdx.x * 32 + threadIdx.x] = a[127 - blockIdx.x * 32 - threadIdx.x];
    a[127 - blockIdx.x * 32 - threadIdx.x] = 5;
}

int
main()
{
    int *a = fresh<int>(128);

    first<<<4, 32>>>(a);
    second<<<4, 32>>>(a, fresh<int>(128));
    return finish();
}
