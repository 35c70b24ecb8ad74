// bug: deadlock 9
// __syncwarp() waits for lanes that wait at __syncthreads().
#include "planted.h"

__global__ void
wait(int *out)
{
    if (threadIdx.x < 16)
        __syncwarp();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

int
main()
{
    wait<<<1, 32>>>(fresh<int>(32));
    return finish();
}
