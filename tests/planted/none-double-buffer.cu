// bug: none
// Two buffers in turn need one barrier a step.
#include "planted.h"

__global__ void
scan(const int *in, int *out)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, from = 0;

    s[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[t] = s[from][t];
}

int
main()
{
    scan<<<1, 128>>>(counted<int>(128), fresh<int>(128));
    return finish();
}
