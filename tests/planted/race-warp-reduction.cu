// bug: race 13 13
// The old trick of the last warp, without __syncwarp() and without volatile.
#include "planted.h"

__global__ void
sum(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;

    s[t] = in[t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) if (t < d) s[t] += s[t + d];
    if (t == 0)
        *out = s[0];
}

int
main()
{
    sum<<<1, 32>>>(counted<int>(32), zeros<int>(1));
    return finish();
}
