// bug: unwritten 14
// Half of a shared array is never written.
#include "planted.h"

__global__ void
reverse(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t < 32)
        s[t] = in[t];
    __syncthreads();
    out[t] = s[63 - t];
}

int
main()
{
    reverse<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}
