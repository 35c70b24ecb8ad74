// bug: misaligned 14
// An int2 in the middle of another in shared memory.
#include "planted.h"

__global__ void
mix(int2 *out)
{
    __shared__ int2 s[40];
    int *p = (int *)s;

    s[threadIdx.x] = make_int2(1, 2);
    s[threadIdx.x + 8] = make_int2(3, 4);
    __syncwarp();
    out[threadIdx.x] = *(int2 *)(p + 1 + threadIdx.x);
}

int
main()
{
    mix<<<1, 8>>>(fresh<int2>(8));
    return finish();
}
