// bug: divergent 14
// The number of rounds differs from thread to thread.
#include "planted.h"

__global__ void
walk(const int *rounds, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, n = rounds[t] % 3;

    s[t] = 0;
    for (int i = 0; i < n; i++) {
        s[t] += i;
        __syncthreads();
    }
    out[t] = s[t];
}

int
main()
{
    walk<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}
