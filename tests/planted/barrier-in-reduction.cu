// bug: divergent 16
// The barrier of a tree reduction stands inside its guard.
#include "planted.h"

__global__ void
total(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;

    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2)
        if (t < k) {
            s[t] += s[t + k];
            __syncthreads();
        }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

int
main()
{
    total<<<2, 256>>>(counted<int>(512), fresh<int>(2));
    return finish();
}
