// bug: race 14 14
// A block reduction without a barrier between the steps.
#include "planted.h"

__global__ void
sum(const float *in, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;

    s[t] = in[t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2)
        if (t < d) s[t] += s[t + d];
    if (t == 0)
        *out = s[0];
}

int
main()
{
    sum<<<1, 256>>>(counted<float>(256), zeros<float>(1));
    return finish();
}
