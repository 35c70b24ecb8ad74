// bug: divergent 13
// Only threads within the array come to the barrier, while the others count themselves.
#include "planted.h"

__global__ void
shift(const int *in, int *out, int *outside, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;

    if (i < n) {
        s[t] = in[i];
        __syncthreads();
        out[i] = s[t > 0 ? t - 1 : 0];
    } else {
        atomicAdd(outside, 1);
    }
}

int
main()
{
    shift<<<2, 64>>>(counted<int>(100), fresh<int>(100), zeros<int>(1), 100);
    return finish();
}
