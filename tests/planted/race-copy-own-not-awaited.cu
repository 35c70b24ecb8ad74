// bug: race 15 13
// A thread reads what it has copied itself, and has not waited.
#include "planted.h"
#include <cuda_pipeline.h>

__global__ void
pass(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t] = 0;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    out[t] = s[t];
    __pipeline_wait_prior(0);
}

int
main()
{
    pass<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}
