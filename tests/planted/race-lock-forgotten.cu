// bug: race 12 17
// One thread changes what a lock protects without taking it.
#include "planted.h"
__device__ int lock, total;

__global__ void
add(int *out)
{
    if (threadIdx.x == 0 && blockIdx.x > 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        total += blockIdx.x;
        __threadfence();
        atomicExch(&lock, 0);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        total += 100;
}

int
main()
{
    add<<<4, 32>>>(zeros<int>(1));
    return finish();
}
