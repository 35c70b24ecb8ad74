// bug: deadlock 9
// A barrier for more threads than the block has.
#include "planted.h"

__global__ void
wait(int *out)
{
    out[threadIdx.x] = 1;
    asm volatile("barrier.sync 1, 96;" ::: "memory");
}

int
main()
{
    wait<<<1, 64>>>(fresh<int>(64));
    return finish();
}
