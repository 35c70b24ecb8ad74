// bug: none
// All threads of all warps take one lock in turn.
#include "planted.h"

__device__ int lock, total;

__global__ void
add()
{
    for (bool waits = true; waits;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            total += threadIdx.x;
            __threadfence();
            atomicExch(&lock, 0);
            waits = false;
        }
    }
}

int
main()
{
    add<<<2, 64>>>();
    return finish();
}
