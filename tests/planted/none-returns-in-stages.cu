// bug: none
// Threads return at several places, before the first barrier and after the last one.
#include "planted.h"

__global__ void
stages(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    if (blockIdx.x * blockDim.x >= n)
        return;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    float v = s[t ^ 1];
    if (i >= n)
        return;
    if (v < 0) {
        out[i] = 0;
        return;
    }
    out[i] = v;
}

int
main()
{
    stages<<<4, 64>>>(counted<float>(100), fresh<float>(100), 100);
    return finish();
}
