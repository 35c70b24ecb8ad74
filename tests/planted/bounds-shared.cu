// bug: bounds 11
// One element past the end of the only shared array.
#include "planted.h"

__global__ void
shift(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t + 1] = in[t];
    __syncthreads();
    out[t] = s[t];
}

int
main()
{
    shift<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}
