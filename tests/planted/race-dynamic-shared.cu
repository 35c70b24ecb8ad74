// bug: race 9 11
// The same as race-reverse, in dynamic shared memory and with shorts.
#include "planted.h"
extern __shared__ short buffer[];

__global__ void
reverse(const short *in, short *out, int n)
{
    buffer[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = buffer[n - 1 - threadIdx.x];
}

int
main()
{
    reverse<<<1, 96, 96 * sizeof(short)>>>(counted<short>(96), zeros<short>(96), 96);
    return finish();
}
