// bug: shuffle 14 16
// A warp's largest element by butterflies, inside the guard of the last elements.
#include "planted.h"

__global__ void
largest(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        int v = -in[i];

        for (int d = 16; d > 0; d /= 2)
            v = max(v, __shfl_xor_sync(__activemask(), v, d));
        if (threadIdx.x % 32 == 0)
            atomicMax(out, v);
    }
}

int
main()
{
    largest<<<2, 64>>>(counted<int>(100), zeros<int>(1), 100);
    return finish();
}
