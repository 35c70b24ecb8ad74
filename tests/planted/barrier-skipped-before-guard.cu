// bug: divergent 13
// Half of the threads pass by the barrier, and the kernel's last statement is guarded.
#include "planted.h"

__global__ void
some(const int *in, int *out, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;

    s[t] = i < n ? in[i] : 0;
    if (t < 128)
        __syncthreads();
    if (i < n)
        out[i] = s[t];
}

int
main()
{
    some<<<2, 256>>>(counted<int>(400), fresh<int>(400), 400);
    return finish();
}
