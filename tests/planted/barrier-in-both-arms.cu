// bug: divergent 17 13
// Two barriers for the two halves of a warp.
#include "planted.h"

__global__ void
split(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t % 2 == 0) {
        s[t] = t;
        __syncthreads();
        out[t] = s[t + 1];
    } else {
        s[t] = -t;
        __syncthreads();
        out[t] = s[t - 1];
    }
}

int
main()
{
    split<<<1, 64>>>(fresh<int>(64));
    return finish();
}
