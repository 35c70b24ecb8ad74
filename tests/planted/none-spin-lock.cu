// bug: none
// What a lock protects is changed under it only.
#include "planted.h"

__device__ int lock, total;

__global__ void
add()
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence();
        total += blockIdx.x;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

int
main()
{
    add<<<8, 32>>>();
    return finish();
}
