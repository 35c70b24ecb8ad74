// bug: none
// All that the kernel does, barrier included, stands behind one condition. nvcc makes the same of an
// early return.
#include "planted.h"

__global__ void
shift(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;

    if (i < n) {
        s[threadIdx.x] = in[i];
        __syncthreads();
        if (threadIdx.x > 0)
            out[i] = s[threadIdx.x - 1];
    }
}

int
main()
{
    shift<<<2, 64>>>(counted<int>(100), fresh<int>(100), 100);
    return finish();
}
