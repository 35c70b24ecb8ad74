// bug: deadlock 10
// A shuffle whose mask lacks the calling lane.
#include "planted.h"

__global__ void
sum(const int *in, int *out)
{
    int v = in[threadIdx.x];

    v += __shfl_down_sync(0xffff, v, 8);
    out[threadIdx.x] = v;
}

int
main()
{
    sum<<<1, 32>>>(counted<int>(32), fresh<int>(32));
    return finish();
}
