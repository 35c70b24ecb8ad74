// bug: none
// The last warp of a reduction with volatile, as it was written before __syncwarp().
#include "planted.h"

__global__ void
sum(const float *in, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;

    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile float *v = s;

        v[t] += v[t + 32];
        __syncwarp();
        v[t] += v[t + 16];
        __syncwarp();
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        *out = s[0];
}

int
main()
{
    sum<<<1, 64>>>(counted<float>(64), fresh<float>(1));
    return finish();
}
