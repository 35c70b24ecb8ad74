// bug: race 18 14
// The threads wait for their copies behind the barrier, each for its own only.
#include "planted.h"
#include <cuda_pipeline.h>

__global__ void
reverse(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    asm volatile("barrier.sync 1, 64;" ::: "memory");
    __pipeline_wait_prior(0);
    out[t] = s[63 - t];
}

int
main()
{
    reverse<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}
